"""The configured image service: address, models, and the name of its key's secret, never the key."""

import asyncio
import os
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from gstack_browse.errors import NoService, Refused, SetupFailed, UsageError
from gstack_browse.security.policy.hosts import parse_origin
from gstack_browse.security.vault import SecretStore
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace.private_files import open_home

FILE = "design-service.json"
DEFAULT_SECRET = "design"  # noqa: S105 - a name
WITHOUT = (
    "Sketch it in HTML and picture that: goto ./sketch.html, then screenshot sketch.png. "
    "A person can set a service: design-service <url> --model <name>"
)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ChosenService(NamedTuple):
    """A service without its key. `vision_model` judges pictures; "" if none is configured."""

    address: str
    model: str
    vision_model: str = ""
    secret: str = DEFAULT_SECRET

    @property
    def origin(self) -> str:
        """The origin of the service's address."""
        return parse_origin(self.address)

    @property
    def is_here(self) -> bool:
        """Return whether the service runs on this machine."""
        return (urlsplit(self.address).hostname or "") in _LOOPBACK

    def __str__(self) -> str:
        vision = f", pictures judged by {self.vision_model}" if self.vision_model else ""
        return f"{self.address}, model {self.model}{vision}"


def check_address(word: str) -> str:
    """Return the base URL of the API, without a final slash.

    Raises UsageError, and Refused for http to another machine.
    """
    origin = parse_origin(word)
    parts = urlsplit(word if "://" in word else f"https://{word}")
    if parts.query or parts.fragment:
        raise UsageError(
            f'"{word[:60]}" has a query or a fragment', "For example https://images.example.com/v1"
        )
    if parts.scheme == "http" and (parts.hostname or "") not in _LOOPBACK:
        raise Refused(f"{origin} would get the key and the pictures unencrypted", "Give its https address")
    return origin + parts.path.rstrip("/")


def read_service(environment: Mapping[str, str] = os.environ) -> ChosenService | None:
    """Return the configured service, or None. Raises SetupFailed for a damaged file."""
    place = open_home(environment)
    content = place.read(FILE)
    if content is None:
        return None
    try:
        fields = orjson.loads(content)
        found = ChosenService(*(str(fields[name]) for name in ChosenService._fields))
        return found._replace(address=check_address(found.address))
    except (orjson.JSONDecodeError, KeyError, TypeError, UsageError, Refused):
        raise SetupFailed(
            f"{place.path_of(FILE)} is damaged", "Set the service anew: design-service <url> --model <name>"
        ) from None


def save_service(service: ChosenService, environment: Mapping[str, str] = os.environ) -> None:
    """Write the service to the settings."""
    open_home(environment).write(FILE, orjson.dumps(service._asdict(), option=orjson.OPT_INDENT_2))


def remove_service(environment: Mapping[str, str] = os.environ) -> None:
    """Remove the service from the settings."""
    open_home(environment).remove(FILE)


async def require_service() -> tuple[ChosenService, str]:
    """Return the service and its key ("" for a local one without a key).

    Raises NoService if nothing is configured, Refused for a key of another origin.
    """
    service = await asyncio.to_thread(read_service)
    if service is None:
        raise NoService("No image service is set", WITHOUT)
    secret = await asyncio.to_thread(SecretStore().get, service.secret)
    if secret is None:
        if service.is_here:
            return service, ""
        raise NoService(f"There is no key for {service.origin}", key_advice(service))
    if service.origin not in secret.origins:
        raise Refused(
            f"The secret {service.secret} is for {one_line(', '.join(secret.origins))}, not for {service.origin}",
            key_advice(service),
        )
    if not (secret.value.isascii() and secret.value.isprintable()):
        raise NoService(
            f"The secret {service.secret} cannot be a key: keys are one line of ASCII", key_advice(service)
        )
    return service, secret.value


def key_advice(service: ChosenService) -> str:
    """Say how a person stores the key."""
    return f"A person keeps it once: secret-set {service.secret} --origin {service.origin} < key.txt"
