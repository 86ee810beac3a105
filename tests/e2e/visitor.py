"""Visit pages of ours: a person with a browser, and others with requests of their own making."""

import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from gstack_browse import settings
from gstack_browse.browser.launch import chromium

SECONDS = 60
"""Ends a test that hangs: what a person's browser shows comes late on a busy machine."""
expect.set_options(timeout=SECONDS * 1000)


@contextmanager
def visiting() -> Iterator[BrowserContext]:
    """The browser in which a person opens a page of ours, which runs no scripts but ours; gbrowse drives another one."""
    with sync_playwright() as playwright:
        executable = chromium.find_executable(settings.read())
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1400, "height": 800})
        context.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        yield context
        browser.close()


CONNECTED = """WebSocket = class extends WebSocket {
    constructor(...words) {
        super(...words);
        this.addEventListener('open', () => document.documentElement.classList.add('connected'));
    }
}"""


def open_board(page: Page, address: str) -> None:
    """Go to a board, and wait for its pictures and for the socket to its daemon.

    By that the daemon knows of the window.
    """
    page.add_init_script(CONNECTED)
    page.goto(address)
    expect(page.locator(".connected #pictures li").first).to_be_visible()


class Knock:
    """Requests to a page of ours, each with whatever headers an enemy would send."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.port, self.path, self.query = parts.port or 0, parts.path, parts.query

    def __call__(
        self, path: str = "", method: str = "GET", body: str | None = None, **headers: str
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        sent = {"Host": f"127.0.0.1:{self.port}"} | {name.replace("_", "-"): it for name, it in headers.items()}
        connection.request(method, self.path + path, body, sent)
        return connection.getresponse()

    def cookie(self) -> str:
        """Return the cookie that the one-time token is exchanged for."""
        response = self(f"?{self.query}")
        assert response.status == 200, response.read()
        return str(response.headers["Set-Cookie"])


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True
