"""Access control of loopback pages: the checks that every request has to pass. Serves nothing itself.

Such a page listens on 127.0.0.1, where every program of every user of the machine, and every website by way of the
browser, can knock. What keeps them out:

- a one-time token of 256 bits in the printed address, exchanged for a cookie that scripts cannot read and that
  other sites' requests do not carry;
- a random path, because a browser sends the cookies of 127.0.0.1 to every port, but only below their path;
- the exact Host, against names that resolve to 127.0.0.1 (DNS rebinding), and the exact Origin of everything that
  changes something;
- where the kernel says who is at the other end (Linux), it must be the same user, or root.

Through `ssh -L` with the same port all of this holds: the other end is the user's sshd.
"""

import os
import secrets
from hmac import compare_digest
from typing import NamedTuple

from aiohttp import web

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_TOKEN_BYTES = 32
_PATH_BYTES = 12
_SOCKETS = "/proc/net/tcp"
_ROOT = 0


class PageSecrets(NamedTuple):
    """The secrets of a page: its path, its token ("" once used), and the visitor's cookie."""

    path: str
    token: str
    session: str


class Guard:
    """The secrets of one page, and the checks of every request, which raise HTTPForbidden.

    `again`: the command that opens another page; `keys`: the secrets of a page that is continued.
    """

    def __init__(self, name: str, again: str, keys: PageSecrets | None = None) -> None:
        self._cookie = f"gbrowse-{name}"
        self._again = again
        self.port = 0
        self.path, self._token, self._session = keys or _new_secrets()

    @property
    def keys(self) -> PageSecrets:
        """The secrets, for another guard of the same page. They must not be written to a file."""
        return PageSecrets(self.path, self._token, self._session)

    @property
    def address(self) -> str:
        """The address that admits one visitor, once."""
        return f"{self._origin}{self.path}?token={self._token}"

    @property
    def _origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def check_request(self, request: web.Request) -> None:
        """Check a request's Host, user and method, and the Origin of one that changes something."""
        if request.headers.getall("Host", []) != [f"127.0.0.1:{self.port}"]:
            raise web.HTTPForbidden(text="wrong host")
        if not _is_same_user(request):
            raise web.HTTPForbidden(text="another user")
        if request.method not in ("GET", "POST"):
            raise web.HTTPForbidden(text="not done here")
        is_json = request.content_type == "application/json"
        is_socket = "Upgrade" in request.headers  # browsers let every site open sockets to every other
        has_origin = request.headers.getall("Origin", []) == [self._origin]
        if (request.method == "POST" and not (has_origin and is_json)) or (is_socket and not has_origin):
            raise web.HTTPForbidden(text="wrong origin")

    def admit_visitor(self, request: web.Request, response: web.Response) -> None:
        """Admit a visitor with the token, which is then used up, or one admitted before."""
        token = request.query.get("token", "")
        if self._token and compare_digest(token.encode(), self._token.encode()):
            self._token = ""
            response.set_cookie(self._cookie, self._session, path=self.path, httponly=True, samesite="Strict")
            return
        self.check_session(request)

    def check_session(self, request: web.Request) -> None:
        """Raise HTTPForbidden unless the browser has been admitted."""
        if not compare_digest(request.cookies.get(self._cookie, "").encode(), self._session.encode()):
            raise web.HTTPForbidden(
                text=f"This address has been used or is wrong. Run 'gbrowse {self._again}' for a new one."
            )


def _new_secrets() -> PageSecrets:
    token, session = (secrets.token_urlsafe(_TOKEN_BYTES) for _ in range(2))
    return PageSecrets(f"/{secrets.token_urlsafe(_PATH_BYTES)}/", token, session)


def _is_same_user(request: web.Request) -> bool:
    """Return whether our user or root holds the other end of the connection; True if unknown."""
    peer = request.transport.get_extra_info("peername") if request.transport else None
    own = request.transport.get_extra_info("sockname") if request.transport else None
    if not peer or not own:
        return False
    try:
        with open(_SOCKETS, encoding="ascii") as table:
            lines = table.read().splitlines()[1:]
    except OSError:
        return True  # this system has no such table: rely on the token
    wanted = [_to_proc_address(*peer), _to_proc_address(*own)]
    users = [int(fields[7]) for line in lines if (fields := line.split())[1:3] == wanted]
    return any(user in (os.getuid(), _ROOT) for user in users)


def _to_proc_address(address: str, port: int) -> str:
    """Format an endpoint as /proc/net/tcp does: the address's bytes in reverse, then the port."""
    octets = [int(part) for part in address.split(".")]
    return "".join(f"{octet:02X}" for octet in reversed(octets)) + f":{port:04X}"
