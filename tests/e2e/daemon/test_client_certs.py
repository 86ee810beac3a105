"""Servers that want to know who asks (`BROWSE_CLIENT_CERT`)."""

import os
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.e2e.daemon.harness import DaemonHarness
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
    home.env |= {
        "SSL_CERT_FILE": str(corp.file),
        "GSTACK_HOME": str(home.runtime),
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    }
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


def test_two_files_tls_1_2_and_an_address(trusting: DaemonHarness, corp: Authority) -> None:
    certificate, key = corp.client("bob")
    with greeting(corp.server(), corp.file, ssl.TLSVersion.TLSv1_2) as port:
        trusting.env["BROWSE_CLIENT_CERT"] = f"https://127.0.0.1:{port}={certificate}+{key}"
        trusting.must("goto", f"https://127.0.0.1:{port}/")
        assert trusting.must("text", "h1") == "Hello bob"


def test_a_server_that_is_not_trusted_fails_as_it_would_without_a_relay(
    home: DaemonHarness, corp: Authority, port: int
) -> None:
    without = home.run("goto", f"https://localhost:{port}/")
    certificate, key = corp.client("ann")
    home.must("stop")
    home.env["BROWSE_CLIENT_CERT"] = f"https://localhost:{port}={certificate}+{key}"
    told = home.run("goto", f"https://localhost:{port}/")
    assert "ERR_CERT_AUTHORITY_INVALID" in told.stderr
    assert told.stderr.splitlines()[0] == without.stderr.splitlines()[0]
    assert "was not presented: the server's certificate is not trusted" in told.stderr
    home.must("stop")
    home.env["BROWSE_INSECURE"] = f"localhost:{port}"
    home.must("goto", f"https://localhost:{port}/")
    assert home.must("text", "h1") == "Hello ann"


def test_refused_client_certificate_is_explained(
    trusting: DaemonHarness, corp: Authority, port: int, tmp_path: Path
) -> None:
    home = trusting
    (tmp_path / "other").mkdir()
    theirs = Authority(tmp_path / "other", "Other").client("eve")
    home.env["BROWSE_CLIENT_CERT"] = f"https://localhost:{port}={theirs[0]}+{theirs[1]}"
    told = home.run("goto", f"https://localhost:{port}/")
    assert "ERR_BAD_SSL_CLIENT_AUTH_CERT" in told.stderr
    assert "the server does not take" in told.stderr
    assert "eve.pem: unknown authority" in told.stderr
    for path, new in zip(theirs, corp.client("ann", days=-1), strict=True):
        os.replace(new, path)  # renewed in place, with one that is too old
    told = home.run("goto", f"https://localhost:{port}/")
    assert "eve.pem expired on " in told.stderr
    for path, new in zip(theirs, corp.client("ann"), strict=True):
        os.replace(new, path)
    home.must("goto", f"https://localhost:{port}/")
    assert home.must("text", "h1") == "Hello ann", "without a new start"
    assert home.run("goto", "https://localhost:1/").returncode != 0


def test_a_server_that_is_not_there_is_said(trusting: DaemonHarness, corp: Authority) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    certificate, key = corp.client("ann")
    trusting.env["BROWSE_CLIENT_CERT"] = f"https://localhost:{port}={certificate}+{key}"
    told = trusting.run("goto", f"https://localhost:{port}/")
    assert f"localhost:{port} cannot be reached: " in told.stderr


@pytest.mark.parametrize("address", ["http://ann:s3cret@127.0.0.1", "https://ann:s3cret@localhost"])
def test_the_relay_goes_by_the_proxy(trusting: DaemonHarness, corp: Authority, port: int, address: str) -> None:
    home = trusting
    certificate, key = corp.client("ann")
    with tunnelling(certificate=corp.server() if address.startswith("https") else None) as (proxy, seen):
        home.env |= {
            "BROWSE_CLIENT_CERT": f"https://intranet.test:{port}={certificate}+{key}",
            "BROWSE_PROXY": f"{address}:{proxy}",
            "BROWSE_INSECURE": "intranet.test",
        }
        home.must("goto", f"https://intranet.test:{port}/")
        assert home.must("text", "h1") == "Hello ann"
        assert home.must("js", "fetch('/endless').then(r => r.text()).then(t => t.length)") == "1000000"
        assert seen[0] == f"CONNECT intranet.test:{port} HTTP/1.1"


@pytest.mark.parametrize(("host", "kind"), [("intranet.test", 3), ("10.9.8.7", 1)])
def test_the_relay_goes_by_a_socks_proxy(
    trusting: DaemonHarness, corp: Authority, port: int, host: str, kind: int
) -> None:
    home = trusting
    certificate, key = corp.client("ann")
    with tunnelling(Socks) as (proxy, seen):
        home.env |= {
            "BROWSE_CLIENT_CERT": f"https://{host}:{port}={certificate}+{key} https://{host}:8443={certificate}+{key}",
            "BROWSE_PROXY": f"socks5://127.0.0.1:{proxy}",
            "BROWSE_INSECURE": host,
        }
        home.must("goto", f"https://{host}:{port}/")
        assert home.must("text", "h1") == "Hello ann"
        assert seen[0] == f"{kind} {host}:{port}"
        refused = home.run("goto", f"https://{host}:8443/")
        assert f"the proxy socks5://127.0.0.1:{proxy} is refused there" in refused.stderr


def test_hosts_that_are_allowed_are_led_there_all_the_same(
    trusting: DaemonHarness, corp: Authority, port: int
) -> None:
    certificate, key = corp.client("ann")
    trusting.env |= {
        "BROWSE_CLIENT_CERT": f"https://localhost:{port}={certificate}+{key}",
        "BROWSE_ALLOW": "localhost",
        "BROWSE_ALLOW_RESOURCES": "cdn.test",
    }
    trusting.must("goto", f"https://localhost:{port}/")
    assert trusting.must("text", "h1") == "Hello ann"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
def test_another_user_of_the_machine_gets_nothing(trusting: DaemonHarness, corp: Authority, port: int) -> None:
    certificate, key = corp.client("ann")
    trusting.env["BROWSE_CLIENT_CERT"] = f"https://localhost:{port}={certificate}+{key}"
    trusting.must("goto", f"https://localhost:{port}/")
    script = (
        "import encodings.idna, os, socket, ssl, sys\n"
        "context = ssl._create_unverified_context()\n"
        "if len(sys.argv) > 2: os.setuid(int(sys.argv[2]))\n"
        "connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
        "print(context.wrap_socket(connection, server_hostname='localhost').version())"
    )
    words = [sys.executable, "-I", "-c", script, str(_relay(trusting, port))]
    mine, theirs = (
        subprocess.run([*words, *user], capture_output=True, text=True, check=False) for user in ([], ["65534"])
    )
    assert mine.stdout == "TLSv1.3\n", mine.stderr
    assert theirs.returncode != 0
    assert "wrap_socket" in theirs.stderr


def _arguments(home: DaemonHarness) -> str:
    """The arguments of all processes of the browser."""
    pid = int(home.ask("status").partition("PID: ")[2].split()[0])
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        try:
            found += process.cmdline()
        except psutil.Error:
            continue
    return " ".join(found)


def _relay(home: DaemonHarness, port: int) -> int:
    """The port of the relay for a server."""
    found = re.search(rf"MAP localhost:{port} 127\.0\.0\.1:(\d+)", _arguments(home))
    assert found, _arguments(home)
    return int(found[1])
