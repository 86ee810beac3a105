"""Count at a proxy which hosts Chromium asks that no page has asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.daemon.harness import DaemonHarness, until
from tests.e2e.serving import Answering, serving
from tests.faults import fault
from tests.tls import Authority

PAGE = """<html lang=de><title>Anmeldung</title><p>Der Hund geht heute nach Hause, und morgen kommt er wieder.
<form action=/next><input name=user autocomplete=username><input type=password name=word autocomplete=current-password>
<input name=card autocomplete=cc-number><input name=street autocomplete=street-address><input name=tel autocomplete=tel>
<textarea spellcheck=true></textarea><button>Los</button></form><a href=/program.exe download>Programm</a>"""


class _Site(Answering):
    def get(self) -> None:
        if ".exe" in self.path:
            self.answer(b"MZ", kind="application/octet-stream")
        else:
            self.answer(PAGE.encode(), kind="text/html; charset=utf-8")


@contextmanager
def counting_proxy(hosts: list[str]) -> Iterator[int]:
    """Serve as a proxy that lets nothing through, and notes which hosts it was asked for. Yields its port."""

    class Refusing(Answering):
        def get(self) -> None:
            hosts.append(self.headers["Host"])
            self.send_error(502)

        post = do_CONNECT = do_HEAD = get  # noqa: N815 - the names http.server looks for

    with serving(Refusing) as port:
        yield port


@fault(
    "Connections",
    "Chromium starts, and shows forms, a login, another language, a program to download, and a certificate that nobody trusts",
    "a proxy is asked for the one host that the page asks for, and for no other",
)
def test_chromium_requests_only_hosts_of_its_pages(home: DaemonHarness, tmp_path: Path) -> None:
    hosts: list[str] = []
    certificate = Authority(tmp_path).server()  # which nobody trusts
    with counting_proxy(hosts) as port, serving(_Site) as plain, serving(_Site, certificate) as secure:
        home.env["BROWSE_PROXY"] = f"http://127.0.0.1:{port}"
        home.must("goto", f"http://localhost:{plain}/")
        home.must("click", "textarea")
        home.must("type", "a mispeled wrod ")
        for name in ("user", "word", "card", "street", "tel"):
            home.must("fill", f"[name={name}]", "4111111111111111")
        assert "program.exe" in home.must("click", "a")
        home.must("click", "button")
        assert "ERR_CERT_AUTHORITY_INVALID" in home.run("goto", f"https://localhost:{secure}/").stderr
        home.must("goto", f"http://localhost:{plain}/")
        home.run("js", "fetch('http://asked.test/').catch(() => {})")
        until(lambda: "asked.test" in hosts)
        assert set(hosts) == {"asked.test"}
