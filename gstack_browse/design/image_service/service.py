"""The settings of the image service (never its key), requests to it, and parsers for its responses.

The size of responses is limited and redirects are refused. The key is sent only to the service's own origin, and is
in no message.
"""

import asyncio
import base64
import binascii
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import aiohttp
import orjson

from gstack_browse.browser.launch.outbound import logins
from gstack_browse.browser.launch.outbound import outbound_connection as outgoing
from gstack_browse.design.picture_facts import SEVERITIES, PictureFinding
from gstack_browse.errors import NoService, Refused, ServiceFailed, SetupFailed, UsageError
from gstack_browse.security.policy.hosts import parse_origin
from gstack_browse.security.vault import SecretStore
from gstack_browse.settings import Settings, read
from gstack_browse.text.redact import RevealedSecrets
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_seconds
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
        """Return the origin (`https://host`) of the image service's address."""
        return parse_origin(self.address)

    @property
    def is_local(self) -> bool:
        """Return whether the image service runs on this machine."""
        return (urlsplit(self.address).hostname or "") in _LOOPBACK

    def __str__(self) -> str:
        vision = f", pictures judged by {self.vision_model}" if self.vision_model else ""
        return f"{self.address}, model {self.model}{vision}"


def check_address(word: str) -> str:
    """Return the base URL of an image service, without final slash, from an address that a person typed.

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
    """Return the configured image service; None without one.

    Raises SetupFailed for a damaged settings file.
    """
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
    """Write the chosen image service to the user's settings file."""
    open_home(environment).write(FILE, orjson.dumps(service._asdict(), option=orjson.OPT_INDENT_2))


def remove_service(environment: Mapping[str, str] = os.environ) -> None:
    """Remove the user's file with the settings of the image service, if it exists."""
    open_home(environment).remove(FILE)


async def require_service() -> tuple[ChosenService, str]:
    """Return the configured image service and its API key ("" for a local one without a key).

    Raises NoService if nothing is configured, Refused for a key of another origin.
    """
    service = await asyncio.to_thread(read_service)
    if service is None:
        raise NoService("No image service is set", WITHOUT)
    secret = await asyncio.to_thread(SecretStore().get, service.secret)
    if secret is None:
        if service.is_local:
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
    """Return the hint how a person stores the API key of an image service."""
    return f"A person keeps it once: secret-set {service.secret} --origin {service.origin} < key.txt"


LONGEST_WAIT = 60.0
"""Limit in seconds of a wait that a service asks for; beyond it the command fails."""
_FIRST_WAIT = 1.0
NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")
"""OpenAI's error codes for an account without credit: waiting does not help."""
DECLINED = ("moderation_blocked", "content_policy_violation")
"""OpenAI's error codes for refused content."""
_MOST_FINDINGS = 50


class PictureUrl(NamedTuple):
    """A picture that must be downloaded."""

    url: str


class PictureVerdict(NamedTuple):
    """A model's judgement of a picture.

    `findings` None: the response, or one of its findings, was not in the requested form.
    """

    words: str
    findings: Sequence[PictureFinding] | None
    score: int | None = None
    """0 to 100, if it was asked for and answered."""


def _parse_json(content: bytes | str) -> Any:
    """Parse a JSON text; None for a malformed one."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return None


def parse_object(content: bytes) -> dict[str, Any]:
    """Parse the body of a response as a JSON object. Raises ServiceFailed if it is anything else."""
    found = _parse_json(content)
    if not isinstance(found, dict):
        begins = one_line(content[:400].decode(errors="replace"), 80)
        raise ServiceFailed(
            f"The image service did not answer in JSON but with {begins!r}",
            "Is that the address of the interface? 'design-service' shows it",
        )
    return found


def parse_picture(content: bytes) -> bytes | PictureUrl:
    """Return the first picture in a response's body, as bytes or URL. Raises ServiceFailed without any."""
    listed = parse_object(content).get("data")
    for item in listed if isinstance(listed, list) else []:
        words, url = (item.get("b64_json"), item.get("url")) if isinstance(item, dict) else (None, None)
        if isinstance(words, str) and words:
            try:
                return base64.b64decode(words, validate=True)
            except binascii.Error:
                raise ServiceFailed(
                    "The image service sent a picture that is not base64", "Try again"
                ) from None
        if isinstance(url, str) and url:
            return PictureUrl(url)
    raise ServiceFailed("The image service answered without a picture", "Try again, or put it otherwise")


def parse_chat_text(content: bytes) -> str:
    """Return the text in the body of a chat completion response. Raises ServiceFailed without one."""
    choices = parse_object(content).get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    text = message.get("content") if isinstance(message, dict) else None
    if isinstance(text, list):  # some services split it into parts
        text = "".join(
            part["text"] for part in text if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if not isinstance(text, str) or not text.strip():
        raise ServiceFailed(
            "The image service answered without words", "Has its model eyes? design-service --vision-model"
        )
    return text.strip()


def parse_verdict(words: str) -> PictureVerdict:
    """Parse a vision model's answer, a text with JSON of score and findings."""
    found = parse_inner_object(words)
    listed = found.get("findings")
    if not isinstance(listed, list):
        return PictureVerdict(words, None)
    findings = [finding for item in listed if (finding := _parse_finding(item))]
    if len(findings) < len(listed):
        return PictureVerdict(words, None)  # one that is not understood may be the severe one
    findings.sort(key=lambda one: SEVERITIES.index(one.severity))
    score: Any = found.get("score")
    is_score = isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 100
    return PictureVerdict(
        _get_text(found, "verdict"), findings[:_MOST_FINDINGS], round(score) if is_score else None
    )


def parse_inner_object(words: str) -> dict[str, Any]:
    """Return the JSON object in a model's answer, also inside of a code fence; {} without one."""
    inner = re.search(r"\{.*\}", words, re.DOTALL)
    found = _parse_json(inner[0]) if inner else None
    return found if isinstance(found, dict) else {}


def _parse_finding(item: object) -> PictureFinding | None:
    """Convert one finding in a model's answer.

    None if it is no object, or its severity is not one of SEVERITIES.
    """
    if not isinstance(item, dict) or not isinstance(item.get("severity"), str):
        return None
    severity = item["severity"].strip().lower()
    if severity not in SEVERITIES:
        return None
    return PictureFinding(severity, _get_text(item, "where"), _get_text(item, "what"))


def _get_text(item: Mapping[str, Any], key: str) -> str:
    """Return the text of field `key` as one line; "" if it is missing or no text."""
    words = item.get(key)
    return one_line(words, 300) if isinstance(words, str) else ""


def parse_error_code(content: bytes) -> str:
    """Return the error code in the body of a failed response; "" without one."""
    found = _parse_json(content)
    error = found.get("error") if isinstance(found, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else ""


def parse_error_message(content: bytes) -> str:
    """Return the error message in the body of a failed response, else the body's beginning, as one line."""
    found = _parse_json(content)
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    return one_line(found if isinstance(found, str) else content[:1000].decode(errors="replace"), 300)


def retry_seconds(header: str | None, attempt: int, now: datetime | None = None) -> float:
    """Return the seconds until the next attempt, by `Retry-After` (RFC 9110, 10.2.3) or by doubling.

    `header`: the value of `Retry-After`; None without one. `attempt`: number of the last one, from 0. `now`: for tests.
    """
    if header and re.fullmatch(r"\s*[0-9]{1,9}\s*", header):
        return float(header)
    try:
        at = parsedate_to_datetime(header or "")
    except ValueError:
        return float(_FIRST_WAIT * 2**attempt)
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max((at - (now or datetime.now(UTC))).total_seconds(), 0.0)


MOST_BYTES = 64_000_000
MOST_ATTEMPTS = 4
CONNECT_SECONDS = 15.0
_RETRIED = (429, 503)
"""Statuses of a service that has not begun. After others the work may be done, and paid for."""


class Upload(NamedTuple):
    """A picture to send."""

    name: str
    kind: str
    content: bytes


class ServiceConnection:
    """A connection to the service. `on_wait` is called with a text when the service is busy."""

    def __init__(
        self,
        service: ChosenService,
        key: str,
        session: aiohttp.ClientSession,
        on_wait: Callable[[str], None],
        settings: Settings,
    ) -> None:
        self._service = service
        self._settings = settings
        self._session = session
        self._on_wait = on_wait
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "gbrowse"}
        self._authorization = {"Authorization": f"Bearer {key}"} if key else {}
        self._hidden = RevealedSecrets()
        self._hidden.add(key)

    async def post(self, path: str, fields: Mapping[str, Any], uploads: Sequence[Upload] = ()) -> bytes:
        """Send a request to `path` below the service's address, and return the body of its response.

        `fields` are sent as JSON, or as a form if there are uploads. Repeated while the service is busy. Raises ServiceFailed.
        """
        url = f"{self._service.address}/{path}"
        headers = self._headers | self._authorization
        for attempt in range(MOST_ATTEMPTS):
            body: dict[str, Any] = {"data": _build_form(fields, uploads)} if uploads else {"json": fields}
            status, found, content = await self._send("POST", url, headers=headers, **body)
            if 200 <= status < 300:
                return content
            is_final = status not in _RETRIED or parse_error_code(content) in NO_CREDIT
            if is_final or attempt == MOST_ATTEMPTS - 1:
                raise self._failure(status, path, content)
            seconds = retry_seconds(found.get("Retry-After"), attempt)
            if seconds > LONGEST_WAIT:
                raise ServiceFailed(
                    f"The image service is busy and asks to wait {format_seconds(seconds)}", "Try again then"
                )
            self._on_wait(f"the image service is busy: trying again in {format_seconds(seconds)}")
            await asyncio.sleep(seconds)
        raise AssertionError

    async def fetch(self, url: str) -> bytes:
        """Download a picture, without sending the key.

        url: may be relative to the service's address

        Raises ServiceFailed; Refused for a URL without https that is not of the service's own origin.
        """
        url = urljoin(f"{self._service.address}/", url)
        try:
            origin = parse_origin(url)
        except UsageError:
            raise ServiceFailed("The image service left its picture at no address", "Try again") from None
        if urlsplit(url).scheme != "https" and origin != self._service.origin:
            raise Refused(f"The picture lies at {origin}, unencrypted", "Ask the user about this service")
        status, _, content = await self._send("GET", url, headers=self._headers)
        if status != 200:
            raise ServiceFailed(f"The picture at {origin} cannot be had: {status}", "Try again")
        return content

    async def _send(self, method: str, url: str, **options: Any) -> tuple[int, Mapping[str, str], bytes]:
        """Send one HTTP request; return (status, headers, body). Redirects are not followed.

        `options`: further arguments of aiohttp's `ClientSession.request`. Raises ServiceFailed for network errors.
        """
        host = urlsplit(url).netloc
        try:
            way = {} if self._service.is_local else outgoing.request_options(url, self._settings)
            async with self._session.request(method, url, allow_redirects=False, **way, **options) as answer:
                return answer.status, answer.headers, await _read_body(answer)
        except aiohttp.ClientConnectorCertificateError as error:
            raise ServiceFailed(
                f"The certificate of {host} is not trusted: {self._hide_key(error.certificate_error)}",
                "BROWSE_CA_CERT names a file of authorities to trust: set it, then gbrowse stop",
            ) from None
        except aiohttp.ClientProxyConnectionError as error:
            raise ServiceFailed(
                f"The proxy for {host} cannot be reached: {self._hide_key(error)}",
                "Look at BROWSE_PROXY and https_proxy",
            ) from None
        except outgoing.UnsupportedProxy as error:
            raise ServiceFailed(f"{host} cannot be reached: {error}", "BROWSE_NO_PROXY excepts hosts") from None
        except (TimeoutError, aiohttp.ClientConnectionError) as error:
            raise ServiceFailed(
                f"{host} cannot be reached: {self._hide_key(error) or 'it does not answer'}",
                "'design-service' shows the address that is set",
            ) from None
        except aiohttp.ClientPayloadError:
            raise ServiceFailed(
                f"{host} ended the connection before its answer was whole", "Try again"
            ) from None
        except aiohttp.ClientError as error:
            raise ServiceFailed(f"{host} broke off: {self._hide_key(error)}", "Try again") from None

    def _failure(self, status: int, path: str, content: bytes) -> ServiceFailed:
        """Return the error for a failed response, with advice by its status. `path`, `content`: see `post`."""
        message = self._hide_key(parse_error_message(content)) or "nothing more"
        code, model = parse_error_code(content), self._service.model
        if code in NO_CREDIT:
            return ServiceFailed(
                f"The image service has no credit left for that key ({status}): {message}",
                "Ask the user, or go on with a sketch in HTML: screenshot",
            )
        if code in DECLINED:
            return ServiceFailed(
                f"The image service refuses the brief or a picture ({status}): {message}",
                "Put it otherwise: asked the same again, it refuses again",
            )
        if status == 401:
            return ServiceFailed(
                f"The image service refuses the key (401): {message}", key_advice(self._service)
            )
        if status == 403:
            return ServiceFailed(
                f"The image service does not let that key use {model} (403): {message}",
                "Ask the user to look at the account, or name another model: design-service",
            )
        if status == 404:
            return ServiceFailed(
                f"The image service has no {path}, or no model {model} (404): {message}",
                "'design-service' shows what is set",
            )
        if 300 <= status < 400:
            return ServiceFailed(
                f"{self._service.origin} leads elsewhere ({status}), where the key does not go",
                "Set the address that it leads to: design-service <url> --model <name>",
            )
        return ServiceFailed(
            f"The image service answers {status}: {message}", "Change what it complains of, or try later"
        )

    def _hide_key(self, error: object) -> str:
        """Return an error's text on one line, with the key masked."""
        return self._hidden.hide(one_line(str(error), 300))


@asynccontextmanager
async def open_connection(
    service: ChosenService, key: str, on_wait: Callable[[str], None]
) -> AsyncIterator[ServiceConnection]:
    """Open a connection to the image service for one command: directly if local, else through the proxy.

    Args:
        key: the service's API key; "" for none
        on_wait: called with a text for the user when the service is busy
    """
    settings = await logins.add_stored_password(read())
    trust = await outgoing.load_trust(settings)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)  # the command has a deadline
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=trust),
        timeout=timeout,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    ) as session:
        yield ServiceConnection(service, key, session, on_wait, settings)


async def _read_body(answer: aiohttp.ClientResponse) -> bytes:
    """Read a response's body. Raises ServiceFailed if it is too long or compressed."""
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise ServiceFailed(
            "The image service answered compressed, which was declined", "Is it behind a proxy that packs?"
        )
    content = bytearray()
    async for part in answer.content.iter_chunked(1 << 16):
        content += part
        if len(content) > MOST_BYTES:
            raise ServiceFailed(
                f"The image service's answer is too long: more than {MOST_BYTES // 1_000_000} MB"
            )
    return bytes(content)


def _build_form(fields: Mapping[str, Any], uploads: Sequence[Upload]) -> aiohttp.FormData:
    """Return the multipart form of a request with uploads. Several files have the field `image[]`."""
    form = aiohttp.FormData()
    for name, value in fields.items():
        form.add_field(name, str(value))
    for upload in uploads:
        name = "image" if len(uploads) == 1 else "image[]"
        form.add_field(name, upload.content, filename=upload.name, content_type=upload.kind)
    return form
