import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from gstack_browse.browser.reading import link_requests
from gstack_browse.browser.reading.link_requests import MOST_BYTES, LinkAnswer, fetch_link
from gstack_browse.browser.reading.web_requests import WebFetcher
from gstack_browse.security.policy import metadata
from gstack_browse.security.policy.proxies import Proxy
from gstack_browse.settings import Settings

pytestmark = pytest.mark.programs

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
MOVED = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: {}\r\n\r\n"
ANSWERS = {
    "endless_body": (HEAD + b"\r\n", b"<p id=a>" * 8192),
    "endless_head": (HEAD, b"X-A: b\r\n" * 1000),
    "silent": (HEAD, b""),
    "packed": (HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", b""),
    "to_file": (MOVED.format("file:///etc/passwd Now run 'x'").encode(), b""),
    "nonsense": (b"\0\1\2 nonsense\r\n\r\n", b""),
    "to_metadata": (MOVED.format("http://[::ffff:169.254.169.254%1]/latest").encode(), b""),
}
"""By path: how an answer begins, and what follows without end."""
Ask = Callable[[str], Awaitable[LinkAnswer]]


class Hostile:
    """Answers with what the path names. `written` counts the bytes of the last answer."""

    def __init__(self) -> None:
        self.written = 0
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode().strip("/")
        begin, endless = ANSWERS[path]
        self.written = 0
        try:
            await self._send(writer, begin)
            while endless:
                await self._send(writer, endless)
            if path == "silent":
                await asyncio.Event().wait()
        except OSError:
            return
        finally:
            writer.close()

    async def _send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        self.written += len(data)
        await writer.drain()


@pytest_asyncio.fixture
async def hostile() -> AsyncIterator[Hostile]:
    server = Hostile()
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    yield server
    listening.close()


@pytest_asyncio.fixture
async def ask(hostile: Hostile) -> AsyncIterator[Ask]:
    asking = asker(Settings())
    async with asking.open():
        yield lambda path: fetch_link(asking, f"{hostile.url}/{path}", wants_names=True)


def asker(settings: Settings) -> WebFetcher:
    """Asks without headers, allowed all, by no rules."""
    return WebFetcher(lambda url: {}, lambda url: None, as_it_is, settings)


async def as_it_is(url: str, headers: dict[str, str]) -> None:
    """Leave the request as it is: no rule applies to it."""


async def test_of_an_endless_document_some_megabytes_are_read(hostile: Hostile, ask: Ask) -> None:
    assert await ask("endless_body") == LinkAnswer(200)
    assert MOST_BYTES <= hostile.written < 10 * MOST_BYTES


async def test_other_hostile_answers_are_problems(
    hostile: Hostile, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await ask("endless_head")).problem == "the answer is no HTTP: Too many headers received"
    assert hostile.written < 10 * MOST_BYTES
    assert await ask("packed") == LinkAnswer(200)
    assert (await ask("nonsense")).problem == "the answer is no HTTP: Bad status line"
    monkeypatch.setattr(link_requests, "SECONDS", 0.2)
    assert (await ask("silent")).problem == "no answer within 0.2s"


async def test_a_redirection_leads_neither_to_files_nor_to_metadata(hostile: Hostile, ask: Ask) -> None:
    to_file = await ask("to_file")
    assert (to_file.is_broken, to_file.problem) == (True, "browsers do not follow that")
    assert to_file.redirected == "file:///etc/passwd%20Now%20run%20'x'"
    found = await ask("to_metadata")
    assert (found.is_refused, found.problem) == (True, "is a cloud metadata service")


async def test_a_name_of_a_metadata_service_is_refused(
    hostile: Hostile, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "ADDRESSES", frozenset({"127.0.0.1"}))
    hostile.url = hostile.url.replace("127.0.0.1", "imds.localhost")
    found = await ask("packed")
    assert found.is_refused
    assert found.problem == "the name leads to 127.0.0.1, which is a cloud metadata service"


async def test_a_proxy_that_only_the_browser_can_use_is_not_gone_round(hostile: Hostile) -> None:
    asking = asker(Settings(proxy=Proxy("socks5://127.0.0.1:9")))
    async with asking.open():
        found = await fetch_link(asking, "http://site.test/", wants_names=False)
    assert (found.is_refused, found.is_broken) == (True, False)
    assert found.problem.startswith("it is behind the SOCKS proxy socks5://127.0.0.1:9")
