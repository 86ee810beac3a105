"""Test a browser on another machine: out of reach, lost, behind a slow line, with files on both machines."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gstack_browse.browser.engine.bundle import engine_factory_source
from tests.e2e.daemon.harness import PAGES, DaemonHarness, Site, until
from tests.e2e.serving import Answering, serving
from tests.faults import fault
from tests.foreign import foreign
from tests.slow_line import SlowLine
from tests.tls import Authority


class Refusing(Answering):
    """Refuse everybody. How other failures are said is in tests/unit/browser/launch/test_remote_failures.py."""

    def get(self) -> None:
        self.send_error(401)


@fault(
    "Connections",
    "the certificate of a remote browser is not trusted",
    "the reason is said, and BROWSE_CA_CERT, which holds for it",
)
def test_untrusted_certificate_is_said_with_its_reason(home: DaemonHarness, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with serving(Refusing, authority.server()) as port:
        home.env |= {"BROWSE_REMOTE": f"https://localhost:{port}/", "BROWSE_CA_CERT": ""}
        said = home.fails(1, "url")
        assert f"The certificate of localhost:{port} is not trusted: " in said, said
        assert "BROWSE_CA_CERT" in said, said
        home.run("stop")
        home.env |= {"BROWSE_REMOTE": f"wss://localhost:{port}/", "BROWSE_CA_CERT": str(authority.file)}
        assert "refuses the connection: 401" in home.fails(1, "url")
        home.run("stop")


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


LARGE = 2_500_000
"""Bytes: more than cross the wire at a time."""
PAGE = f"""<title>Files</title><a href=/late download=late.html>Late</a><button>Make</button><b>Send</b><input type=file>
<div style='height:99px' ondragover='event.preventDefault()' ondrop='take(event)'>Here</div><script>
const name = (files) => Promise.all([...files].map(async (file) => `${{file.name}} ${{await file.text()}} ${{file.size}}`));
const take = async (event) => {{ event.preventDefault(); document.title = `${{event.isTrusted}} ${{await name(event.dataTransfer.files)}}` }};
document.querySelector('input').onchange = async (event) => {{ document.title = await name(event.target.files) }};
document.querySelector('b').onclick = () => {{
  const field = Object.assign(document.createElement('input'), {{ type: 'file', multiple: true }});
  field.onchange = async () => {{ document.title = `${{await name(field.files)}} ${{field.files[0].type}}` }};
  field.click();
}};
document.querySelector('button').onclick = () => {{
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([new Uint8Array({LARGE}).fill(65)]));
  link.download = 'made.bin';
  link.click();
}};
</script>"""


@pytest.fixture(scope="module")
def far() -> Iterator[dict[str, str]]:
    """Variables that lead to a browser with a disk of its own."""
    with foreign(is_apart=True) as browser:
        yield {"BROWSE_REMOTE": browser.url}


def test_files_cross_the_wire_and_a_page_of_ours_is_loaded_as_markup(
    home: DaemonHarness, site: Site, far: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home.env |= far
    monkeypatch.setitem(PAGES, "/files", PAGE)
    for name in ("a", "b"):
        (home.workspace / name).write_text(f"in {name}")
    (home.workspace / "my page.html").write_text("<p>From a file")
    refused = home.run("goto", "./my page.html")
    hint = f"The file is here, and not on the browser's machine. To show it: gbrowse load-html '{home.workspace}/my page.html'"
    assert (refused.returncode, hint in refused.stderr) == (1, True), refused
    home.must("load-html", "my page.html")
    assert home.must("text") == "From a file"
    assert "There is no such file" in home.run("goto", "./none.html").stderr

    home.must("goto", site("/files"))
    assert "late.html (" in home.must("click", "text=Late")
    kept = home.workspace / ".gstack/downloads/late.html"
    until(kept.exists)
    assert kept.read_text() == PAGES["/late"]
    assert f"{kept.stat().st_size}B" in home.must("downloads")
    home.must("click", "button")
    assert home.must("wait", "--download").startswith(f"Downloaded: made.bin ({LARGE}B)")
    assert (home.workspace / ".gstack/downloads/made.bin").read_bytes() == b"A" * LARGE
    home.must("download", site("/two"), "two.html")
    assert (home.workspace / "two.html").read_text() == PAGES["/two"]

    home.must("upload", "input", "a")
    home.must("wait", "--js", "document.title == 'a in a 4'")  # once the page has read it
    assert "asks for files: upload b <file>…" in home.must("click", "b")
    home.must("upload", "b", "a", "b")
    home.must("wait", "--js", "document.title == 'a in a 4,b in b 4 application/octet-stream'")
    downloads = home.must("downloads")
    assert "downloaded" not in home.must("drop", "div", "a", "b"), (
        "what carries the files is no download of the page's"
    )
    assert home.must("downloads") == downloads
    home.must("wait", "--js", "document.title != 'a in a 4'")
    assert home.must("title") == "true a in a 4,b in b 4"
    assert home.must("tabs").count("\n") == 0, "what carries the files is no tab"
    with (home.workspace / "large").open("wb") as file:
        os.ftruncate(file.fileno(), 50_000_001)
    for command in ("upload input large", "drop div large"):
        assert "More than 50 MB" in home.fails(1, *command.split())
    home.must("stop")


ENGINE_BYTES = len(engine_factory_source()) // 2
"""Half of the engine: more than it takes when compressed, with a start, and less than when it is sent twice."""
FEW_BYTES = 10_000


def test_engine_is_sent_compressed_and_once_to_each_tab(home: DaemonHarness, site: Site) -> None:
    with foreign() as browser:
        line = SlowLine(browser.port, seconds=0.05)
        home.env["BROWSE_REMOTE"] = f"http://127.0.0.1:{line.port}"

        def bytes_sent(*words: str) -> int:
            before = line.sent
            home.must("--timeout", "60000", *words)
            return line.sent - before

        assert FEW_BYTES < bytes_sent("goto", site("/")) + bytes_sent("snapshot", "-i") < ENGINE_BYTES
        assert bytes_sent("click", "@e1") < FEW_BYTES
        assert bytes_sent("snapshot", "-i") < FEW_BYTES, "of the next document"
        assert bytes_sent("goto", site("/")) + bytes_sent("snapshot", "-i") < FEW_BYTES
        assert FEW_BYTES < bytes_sent("newtab", site("/two")) + bytes_sent("snapshot", "-i") < ENGINE_BYTES
        home.must("stop")
        line.close()
