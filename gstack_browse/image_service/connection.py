"""Send requests to an image service, through the user's proxy and with the user's certificates.

The size of responses is limited and redirects are refused. The key is sent only to the service's own origin, and is in
no message.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import aiohttp

from gstack_browse.browser.launch import outgoing
from gstack_browse.errors import Refused, ServiceFailed, UsageError
from gstack_browse.image_service import answers
from gstack_browse.image_service.chosen import ChosenService, key_advice
from gstack_browse.policy.origins import parse_origin
from gstack_browse.settings import Settings, read
from gstack_browse.text.columns import format_seconds
from gstack_browse.text.revealed import RevealedSecrets
from gstack_browse.text.sanitise import one_line
from gstack_browse.vault import proxy_login

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
    """A connection to the service. `said` is called with a text when it waits."""

    def __init__(
        self,
        service: ChosenService,
        key: str,
        session: aiohttp.ClientSession,
        said: Callable[[str], None],
        settings: Settings,
    ) -> None:
        self._service = service
        self._settings = settings
        self._session = session
        self._said = said
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "gbrowse"}
        self._authorization = {"Authorization": f"Bearer {key}"} if key else {}
        self._hidden = RevealedSecrets()
        self._hidden.add(key)

    async def post(self, path: str, fields: Mapping[str, Any], uploads: Sequence[Upload] = ()) -> bytes:
        """Send a request below the service's address, as a form if there are uploads. Raises ServiceFailed."""
        url = f"{self._service.address}/{path}"
        headers = self._headers | self._authorization
        for attempt in range(MOST_ATTEMPTS):
            body: dict[str, Any] = {"data": _build_form(fields, uploads)} if uploads else {"json": fields}
            status, found, content = await self._send("POST", url, headers=headers, **body)
            if 200 <= status < 300:
                return content
            is_final = status not in _RETRIED or answers.parse_error_code(content) in answers.NO_CREDIT
            if is_final or attempt == MOST_ATTEMPTS - 1:
                raise self._failure(status, path, content)
            seconds = answers.retry_seconds(found.get("Retry-After"), attempt)
            if seconds > answers.LONGEST_WAIT:
                raise ServiceFailed(
                    f"The image service is busy and asks to wait {format_seconds(seconds)}", "Try again then"
                )
            self._said(f"the image service is busy: trying again in {format_seconds(seconds)}")
            await asyncio.sleep(seconds)
        raise AssertionError

    async def fetch(self, url: str) -> bytes:
        """Download a picture, without sending the key.

        Raises ServiceFailed, and Refused for an unencrypted URL elsewhere.
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
        """Send one request; return status, headers and body. Raises ServiceFailed for network errors."""
        host = urlsplit(url).netloc
        try:
            way = {} if self._service.is_here else outgoing.request_options(url, self._settings)
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
        except aiohttp.ClientError as error:
            raise ServiceFailed(f"{host} broke off: {self._hide_key(error)}", "Try again") from None

    def _failure(self, status: int, path: str, content: bytes) -> ServiceFailed:
        """Turn an error response into an error with advice."""
        said = self._hide_key(answers.parse_error_message(content)) or "nothing more"
        code, model = answers.parse_error_code(content), self._service.model
        if code in answers.NO_CREDIT:
            return ServiceFailed(
                f"The image service has no credit left for that key ({status}): {said}",
                "Ask the user, or go on with a sketch in HTML: screenshot",
            )
        if code in answers.DECLINED:
            return ServiceFailed(
                f"The image service refuses the brief or a picture ({status}): {said}",
                "Put it otherwise: asked the same again, it refuses again",
            )
        if status == 401:
            return ServiceFailed(f"The image service refuses the key (401): {said}", key_advice(self._service))
        if status == 403:
            return ServiceFailed(
                f"The image service does not let that key use {model} (403): {said}",
                "Ask the user to look at the account, or name another model: design-service",
            )
        if status == 404:
            return ServiceFailed(
                f"The image service has no {path}, or no model {model} (404): {said}",
                "'design-service' shows what is set",
            )
        if 300 <= status < 400:
            return ServiceFailed(
                f"{self._service.origin} leads elsewhere ({status}), where the key does not go",
                "Set the address that it leads to: design-service <url> --model <name>",
            )
        return ServiceFailed(
            f"The image service answers {status}: {said}", "Change what it complains of, or try later"
        )

    def _hide_key(self, error: object) -> str:
        """Return an error's text on one line, without the key."""
        return self._hidden.hide(one_line(str(error), 300))


@asynccontextmanager
async def open_connection(
    service: ChosenService, key: str, said: Callable[[str], None]
) -> AsyncIterator[ServiceConnection]:
    """Open a connection for one command; a local service is reached directly, others through the proxy."""
    settings = await proxy_login.add_stored_password(read())
    trust = await outgoing.load_trust(settings)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)  # the command has a deadline
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=trust),
        timeout=timeout,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    ) as session:
        yield ServiceConnection(service, key, session, said, settings)


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
    form = aiohttp.FormData()
    for name, value in fields.items():
        form.add_field(name, str(value))
    for upload in uploads:
        name = "image" if len(uploads) == 1 else "image[]"
        form.add_field(name, upload.content, filename=upload.name, content_type=upload.kind)
    return form
