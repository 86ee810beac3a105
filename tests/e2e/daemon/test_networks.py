"""Test networks of companies.

A proxy that wants a password, an authority of their own, a certificate without a trusted signer.
"""

import shutil
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from gstack_browse.browser.launch.chromium import is_headless_shell
from tests import chromiums
from tests.e2e.daemon.harness import DaemonHarness
from tests.e2e.serving import Answering, serving
from tests.tls import Authority

WANTED = "Basic " + b64encode(b"ann:s3cret").decode()


class Proxying(Answering):
    """A proxy that answers by itself, once it was told user and password."""

    def get(self) -> None:
        if self.headers.get("Proxy-Authorization") == WANTED:
            self.answer(f"<h1>Through the proxy to {self.path}</h1><a href=/b>b</a>".encode())
        else:
            self.answer(b"Who?", 407, Proxy_Authenticate='Basic realm="corp"')

    def connect(self) -> None:
        self.answer(b"", 407, Proxy_Authenticate='Basic realm="corp"')

    do_CONNECT = connect  # noqa: N815 - the name http.server looks for


class Inside(Answering):
    def get(self) -> None:
        self.answer(b"<h1>Inside</h1><a href=/b>b</a>")


@pytest.fixture
def proxy() -> Iterator[int]:
    with serving(Proxying) as port:
        yield port


def test_a_proxy_gets_its_user_and_password(home: DaemonHarness, proxy: int) -> None:
    home.env |= {"GSTACK_HOME": str(home.runtime), "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    home.env["BROWSE_PROXY"] = f"http://ann@127.0.0.1:{proxy}"
    told = home.run("goto", "http://intranet.test/a")
    assert '(407)\n→ the proxy asks for a user and a password ("corp"): gbrowse stop; ' in told.stdout
    says_which = is_headless_shell(chromiums.usual())
    error = "ERR_PROXY_AUTH_REQUESTED" if says_which else "ERR_HTTP_RESPONSE_CODE_FAILURE"
    for command in ("goto https://intranet.test/", "reload", "newtab https://intranet.test/"):
        told = home.run(*command.split())
        assert f"Cannot open https://intranet.test/: {error}" in told.stderr, told
        assert told.stdout == "", "a page that is empty was not opened, nor is it from the cache"
    home.run("secret-set", "proxy", "--origin", f"http://127.0.0.1:{proxy}", stdin="s3cret")
    home.must("restart")
    assert home.must("goto", "http://intranet.test/a").endswith("(200)")
    assert home.must("text", "h1") == "Through the proxy to http://intranet.test/a"
    assert "1 link checked, none is broken" in home.must("links", "--check"), "asked by the proxy, too"
    assert home.must("newtab", "http://other.test/") != ""
    assert home.must("text", "h1") == "Through the proxy to http://other.test/"


@pytest.mark.skipif(not shutil.which("certutil"), reason="certutil is not installed")
def test_own_authority_is_trusted_and_a_certificate_overlooked_for_named_hosts_alone(
    home: DaemonHarness, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    authority, other = Authority(tmp_path), Authority(tmp_path / "other", "Other")
    with serving(Inside, authority.server()) as trusted, serving(Inside, other.server()) as overlooked:
        home.env |= {"BROWSE_CA_CERT": str(authority.file), "BROWSE_INSECURE": f"localhost:{overlooked}"}
        for port in (trusted, overlooked):
            assert home.must("goto", f"https://localhost:{port}/").endswith("(200)")
            assert "1 link checked, none is broken" in home.must("links", "--check")
        told = home.run("goto", f"https://127.0.0.1:{overlooked}/")
        assert "ERR_CERT_AUTHORITY_INVALID" in told.stderr
        assert "BROWSE_CA_CERT=<ca.pem>" in told.stderr
        home.must("goto", f"https://localhost:{overlooked}/")
        script = f"fetch('https://127.0.0.1:{overlooked}/', {{mode: 'no-cors'}}).then(() => 'came', () => 'did not come')"
        assert home.must("js", script) == "did not come"
