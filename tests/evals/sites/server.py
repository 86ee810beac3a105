"""Serves a site on a free port of this machine, under two names: for a browser those are two sites."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.e2e.serving import Answering, serving
from tests.evals.sites.site import Request, Site

MOST_BYTES = 20_000_000


class _Handler(Answering):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    site: Site

    def get(self) -> None:
        address = urlsplit(self.path)
        length = min(int(self.headers.get("Content-Length") or 0), MOST_BYTES)
        request = Request(
            self.command,
            (self.headers.get("Host") or "").partition(":")[0],
            unquote(address.path),
            dict(parse_qsl(address.query, keep_blank_values=True)),
            self.rfile.read(length),
            dict(self.headers),
        )
        try:
            reply = self.site.answer(request)
        except Exception:
            if not self.site.stopping.is_set():  # a browser that is stopped leaves requests behind
                traceback.print_exc()
            raise
        with suppress(ConnectionError):
            headers = {"Cache-Control": "no-store", **reply.headers}
            self.answer(reply.body, reply.status, reply.kind, **headers)

    post = get


@contextmanager
def served(site: Site) -> Iterator[tuple[str, str]]:
    """Serve a site: its address, and its address as another site."""
    with serving(type("Handler", (_Handler,), {"site": site})) as port:
        try:
            yield f"http://127.0.0.1:{port}", f"http://localhost:{port}"
        finally:
            site.stopping.set()
    site.database.close()
