"""A browser on another machine: why it cannot be reached, and what a lost one leaves."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.e2e.serving import Answering, serving
from tests.faults import fault
from tests.foreign import foreign
from tests.tls import Authority


@contextmanager
def refusing(status: int = 401, certificate: Path | None = None) -> Iterator[int]:
    """Serve refusals to everybody, over TLS with that certificate. Yields the port."""

    class Refusing(Answering):
        def get(self) -> None:
            self.send_error(status)

    with serving(Refusing, certificate) as port:
        yield port


Explain = Callable[..., str]


@pytest.fixture
def explain(home: DaemonHarness) -> Explain:
    """Return what is printed where the browser at that address cannot be used."""

    def failure(address: str, **env: str) -> str:
        home.env |= {"BROWSE_REMOTE": address, **env}
        done = home.run("url")
        home.run("stop")
        assert done.returncode == 1, done
        assert "chrome://inspect" not in done.stderr
        return done.stderr

    return failure


@fault(
    "Connections",
    "a remote browser refuses the connection: 401, 403, another status, or speaks no TLS",
    "the status is said, and where it wants a login, BROWSE_REMOTE_HEADERS",
)
def test_refusal_is_said_with_its_status(explain: Explain) -> None:
    for status, scheme, hint in ((401, "http", True), (403, "ws", True), (404, "http", False)):
        with refusing(status) as port:
            said = explain(f"{scheme}://127.0.0.1:{port}/")
            assert str(status) in said, said
            assert ("BROWSE_REMOTE_HEADERS" in said) == hint, said
    with refusing() as port:
        assert f"TLS with 127.0.0.1:{port} fails: " in explain(f"wss://127.0.0.1:{port}/")


@fault(
    "Connections",
    "the certificate of a remote browser is not trusted",
    "the reason is said, and BROWSE_CA_CERT, which holds for it",
)
def test_untrusted_certificate_is_said_with_its_reason(explain: Explain, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with refusing(401, authority.server()) as port:
        said = explain(f"https://localhost:{port}/", BROWSE_CA_CERT="")
        assert f"The certificate of localhost:{port} is not trusted: " in said, said
        assert "BROWSE_CA_CERT" in said, said
        said = explain(f"wss://localhost:{port}/", BROWSE_CA_CERT=str(authority.file))
        assert "refuses the connection: 401" in said, said


@fault(
    "Connections",
    "a remote browser ends under a command",
    "the command fails (6), and so does the next one that needs what was open; the one after it works in a new session",
)
def test_loss_of_a_remote_browser_is_said_by_the_next_command_too(home: DaemonHarness, site: Site) -> None:
    with foreign() as browser, foreign() as other:
        home.env["BROWSE_REMOTE"] = f"http://127.0.0.1:{browser.port}"
        home.must("goto", site("/"))
        with home.start("wait", "--text", "never") as waiting:
            until(lambda: "Running: wait" in home.status())
            browser.process.kill()
            waiting.communicate(timeout=60)
        assert waiting.returncode == 6
        home.env["BROWSE_REMOTE"] = f"http://127.0.0.1:{other.port}"
        lost = home.fails(6, "url")
        assert site("/") in lost
        assert home.must("url") == "about:blank"
