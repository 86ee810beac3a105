"""Servers that want to know who asks (`BROWSE_CLIENT_CERT`)."""

import os
import re
import socket
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.daemon.harness import DaemonHarness
from tests.processes import run_program
from tests.processes import words as words_of
from tests.tls import Authority, Socks, greeting, tunnelling

ASK_SOCKET = """new Promise((done, failed) => {
  const socket = new WebSocket(location.origin.replace('https', 'wss') + '/socket')
  socket.onmessage = event => done(event.data)
  socket.onerror = () => failed(new Error('no socket'))
})"""


@pytest.fixture
def corp(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def port(corp: Authority) -> Iterator[int]:
    with greeting(corp.server(), corp.file) as port:
        yield port


@pytest.fixture
def trusting(home: DaemonHarness, corp: Authority) -> DaemonHarness:
    """A workspace on a machine that trusts the authority."""
    home.env |= {"GSTACK_HOME": str(home.runtime), "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    home.env["SSL_CERT_FILE"] = str(corp.file)
    return home


def test_a_server_is_told_who_asks_and_no_other_one_is(
    trusting: DaemonHarness, corp: Authority, port: int, tmp_path: Path
) -> None:
    home = trusting
    origin = f"https://localhost:{port}"
    home.env["BROWSE_CLIENT_CERT"] = f"{origin}={corp.client_p12('ann', 'opensesame')}"
    told = home.run("goto", f"{origin}/")
    assert told.returncode != 0
    assert "ann.p12 has a passphrase, and none is kept for it" in told.stderr
    assert f"secret-set client-cert --origin {origin}" in told.stderr
    home.run("secret-set", "client-cert", "--origin", origin, stdin="opensesame")
    assert home.must("goto", f"{origin}/").endswith("(200)")
    assert home.must("text", "h1") == "Hello ann"
    assert home.must("js", ASK_SOCKET) == "ann"
    assert home.must("js", "fetch('/endless').then(r => r.text()).then(t => t.length)") == "1000000"
    assert f"Certificates: presented to {origin}\n" in home.ask("status")
    assert "1 link checked, none is broken" in home.must("links", "--check")
    assert home.must("--as", "bob", "goto", f"{origin}/").endswith("(200)")
    assert home.must("--as", "bob", "text", "h1") == "Hello ann", "every context of the browser presents it"
    home.must("restart")
    assert home.must("text", "h1") == "Hello ann"
    with greeting(corp.server(), corp.file) as other:
        assert home.run("goto", f"https://localhost:{other}/").returncode != 0
    relay = _relay(home, port)
    for url in (f"https://127.0.0.1:{relay}/", f"https://other.localhost:{relay}/"):
        assert home.run("goto", url).returncode != 0, "the relay is no server for anybody else"
    assert "opensesame" not in _arguments(home)


def test_each_server_gets_its_certificate_or_the_reason_is_said(
    trusting: DaemonHarness, corp: Authority, port: int, tmp_path: Path
) -> None:
    """Ask one by name, one by address with TLS 1.2, some that are not trusted, one that refuses, one that is not there."""
    home = trusting
    (tmp_path / "other").mkdir()
    ann, bob = corp.client("ann"), corp.client("bob")
    other = Authority(tmp_path / "other", "Other")
    theirs = other.client("eve")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        none = nobody.getsockname()[1]
    with (
        greeting(corp.server(), corp.file, ssl.TLSVersion.TLSv1_2) as old,
        greeting(corp.server(), corp.file, verification_seconds=0.2) as strict,
        greeting(other.server(), corp.file) as plain,
        greeting(other.server(), corp.file) as untrusted,
        greeting(other.server(), corp.file) as overlooked,
    ):
        home.env |= {
            "BROWSE_CLIENT_CERT": f"https://localhost:{port}={ann[0]}+{ann[1]} https://127.0.0.1:{old}={bob[0]}+{bob[1]}"
            f" https://localhost:{strict}={theirs[0]}+{theirs[1]} https://localhost:{none}={ann[0]}+{ann[1]}"
            f" https://localhost:{untrusted}={ann[0]}+{ann[1]} https://localhost:{overlooked}={ann[0]}+{ann[1]}",
            "BROWSE_INSECURE": f"localhost:{overlooked}",
            "BROWSE_ALLOW": "localhost,127.0.0.1",
            "BROWSE_ALLOW_RESOURCES": "cdn.test",
        }
        greetings = {f"localhost:{port}": "ann", f"127.0.0.1:{old}": "bob", f"localhost:{overlooked}": "ann"}
        for host, name in greetings.items():
            home.must("goto", f"https://{host}/")
            assert home.must("text", "h1") == f"Hello {name}"
        told, without = (home.run("goto", f"https://localhost:{at}/").stderr for at in (untrusted, plain))
        assert "ERR_CERT_AUTHORITY_INVALID" in told
        assert told.splitlines()[0] == without.splitlines()[0].replace(str(plain), str(untrusted))
        assert "was not presented: the server's certificate is not trusted" in told
        assert f"localhost:{none} cannot be reached: " in home.run("goto", f"https://localhost:{none}/").stderr

        told = home.run("goto", f"https://localhost:{strict}/")
        assert "ERR_BAD_SSL_CLIENT_AUTH_CERT" in told.stderr
        assert "the server does not take" in told.stderr
        assert "eve.pem: unknown authority" in told.stderr
        for path, new in zip(theirs, corp.client("fay", days=-1), strict=True):
            os.replace(new, path)  # renewed in place, with one that is too old
        assert "eve.pem expired on " in home.run("goto", f"https://localhost:{strict}/").stderr
        for path, new in zip(theirs, corp.client("fay"), strict=True):
            os.replace(new, path)
        home.must("goto", f"https://localhost:{strict}/")
        assert home.must("text", "h1") == "Hello fay", "without a new start"
        assert home.run("goto", "https://localhost:1/").returncode != 0
    if os.geteuid() == 0:
        see_that_another_user_gets_nothing(_relay(home, port))


def see_that_another_user_gets_nothing(relay: int) -> None:
    """Connect to a relay as ourselves, and as a user who is neither we nor root."""
    script = (
        "import encodings.idna, os, socket, ssl, sys\n"
        "context = ssl._create_unverified_context()\n"
        "if len(sys.argv) > 2: os.setuid(int(sys.argv[2]))\n"
        "connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
        "print(context.wrap_socket(connection, server_hostname='localhost').version())"
    )
    words = [sys.executable, "-I", "-c", script, str(relay)]
    mine, theirs = run_program(words), run_program([*words, "65534"])
    assert mine.stdout == "TLSv1.3\n", mine.stderr
    assert theirs.returncode != 0
    assert "wrap_socket" in theirs.stderr


def test_the_relay_goes_by_the_proxy(trusting: DaemonHarness, corp: Authority, port: int) -> None:
    home = trusting
    certificate, key = corp.client("ann")
    with tunnelling(certificate=corp.server()) as (proxy, seen):
        home.env |= {
            "BROWSE_CLIENT_CERT": f"https://intranet.test:{port}={certificate}+{key}",
            "BROWSE_PROXY": f"https://ann:s3cret@localhost:{proxy}",
            "BROWSE_INSECURE": "intranet.test",
        }
        home.must("goto", f"https://intranet.test:{port}/")
        assert home.must("text", "h1") == "Hello ann"
        assert home.must("js", "fetch('/endless').then(r => r.text()).then(t => t.length)") == "1000000"
        assert seen[0] == f"CONNECT intranet.test:{port} HTTP/1.1"


def test_the_relay_goes_by_a_socks_proxy(trusting: DaemonHarness, corp: Authority, port: int) -> None:
    home = trusting
    certificate, key = corp.client("ann")
    kinds = {"intranet.test": 3, "10.9.8.7": 1}
    with tunnelling(Socks) as (proxy, seen):
        home.env |= {
            "BROWSE_CLIENT_CERT": " ".join(
                f"https://{host}:{at}={certificate}+{key}" for host in kinds for at in (port, 8443)
            ),
            "BROWSE_PROXY": f"socks5://127.0.0.1:{proxy}",
            "BROWSE_INSECURE": ",".join(kinds),
        }
        for host, kind in kinds.items():
            home.must("goto", f"https://{host}:{port}/")
            assert home.must("text", "h1") == "Hello ann"
            assert f"{kind} {host}:{port}" in seen
            refused = home.run("goto", f"https://{host}:8443/")
            assert f"the proxy socks5://127.0.0.1:{proxy} is refused there" in refused.stderr


def _arguments(home: DaemonHarness) -> str:
    """The arguments of all processes of the browser."""
    return " ".join(word for one in home.daemon().children(recursive=True) for word in words_of(one))


def _relay(home: DaemonHarness, port: int) -> int:
    """The port of the relay for a server."""
    found = re.search(rf"MAP localhost:{port} 127\.0\.0\.1:(\d+)", _arguments(home))
    assert found, _arguments(home)
    return int(found[1])
