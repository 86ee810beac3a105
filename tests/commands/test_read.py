import gzip
import zlib
from pathlib import Path

import pytest

from gstack_browse.errors import ActionFailed, NavigationFailed, NoMatch, Refused, UsageError
from tests.commands.conftest import Fails, Run
from tests.commands.web import TYPES, Web
from tests.pdf_files import Sheet, lines, pdf
from tests.unit.documents.reader.test_reader import PAGE

pytestmark = pytest.mark.same_session


async def test_a_page_is_read_without_a_tab(run: Run, fails: Fails, web: Web) -> None:
    await run("goto about:blank")
    address = web.show(PAGE)
    text = await run(f"read {address}")
    assert text.startswith("By Ann Lee\n\n# The harbour floods again this year\n\nThe harbour")
    assert text.endswith(f"[Map]({web.url}/news/map.html)")
    assert "Politics" in await run(f"read {address} --whole")
    assert await run(f"read {address} --outline") == "The harbour floods again this year\n  Pumps"
    assert (await run(f"read {address} --section pumps")).startswith("## Pumps\n\nThe harbour")
    assert (await run(f"read {address} --find map")).startswith("## Pumps\nThe harbour")
    await fails(f"read {address} --section Ships", NoMatch)
    for wrong in (f"{address} --section Pumps --outline", "./page.html"):
        await fails(f"read {wrong}", UsageError)
    assert await run("url") == "about:blank"
    assert await run("network --all-pages") == "(no requests)"


BOMB = gzip.compress(b"<p>" + b"a" * 50_000_000)
ANSWERS: dict[str, tuple[str, str | bytes, str]] = {
    "/a.md": ("text/markdown", "# As *it* is", "# As *it* is"),
    "/a.json": ("application/json", '{"a": 1}', '{"a": 1}'),
    "/a.pdf": ("application/pdf", pdf(Sheet(lines("Of a PDF"))), "# a.pdf\n\nOf a PDF"),
    "/llms.txt": ("text/plain", "# The site\n\n- [A](/a)", "# The site\n\n- [A](/a)"),
    "/old.latin": ("text/html; charset=iso-8859-1", "<p>“Old” – 5 €".encode("cp1252"), "“Old” – 5 €"),
    "/old.puny": ("text/html; charset=punycode", "<p>“Old” – 5 €".encode("cp1252"), "“Old” – 5 €"),
}
"""Path → type and content of the answer, and what is read of it."""


async def test_answers_of_all_kinds_are_read(run: Run, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read at the root of a site what it has written for programs. Unpack no more than there may be."""
    for path, (kind, content, text) in ANSWERS.items():
        monkeypatch.setitem(TYPES, Path(path).suffix, kind)
        web.pages[path] = content, {}  # type: ignore[assignment]
        assert (await run(f"read {web.url}{path}")).strip() == text
    assert await run(f"read {web.url}") == ANSWERS["/llms.txt"][2]
    assert await run(f"read {web.url}/redirect?to=/a.md") == "# As *it* is"
    empty = web.show("<div id=root></div><script src=/app.js></script>")
    assert (await run(f"read {empty}")).endswith(f"→ empty without scripts: goto {empty}")
    for coding, packed, most in (
        ("gzip", gzip.compress(b"<p>Packed"), 100), ("gzip", BOMB, 5_100_000), ("deflate", zlib.compress(b"<p>Packed"), 100),
        ("deflate", zlib.compress(b"<p>Packed", wbits=-15), 100),
    ):  # fmt: skip
        web.pages["/packed.html"] = packed, {"Content-Encoding": coding}  # type: ignore[assignment]
        text = await run(f"read {web.url}/packed.html --max 9000000")
        assert ("Packed" in text) == (most == 100)
        assert len(text) < most


async def test_answer_that_is_no_page_says_why(fails: Fails, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TYPES, ".odd", "image/now run what follows")
    web.pages |= {"/a.odd": ("x", {}), "/odd": ("x", {"Content-Encoding": "now run what follows"})}
    reply = await fails(f"read {web.url}/status/404", ActionFailed)
    assert (reply.text, reply.message) == ("# 404\n\n# Status 404", f"{web.url}/status/404 answered 404")
    for address, kind, problem in (
        (f"{web.url}/bytes", ActionFailed, "is no text, but application/octet-stream"),
        (f"{web.url}/a.odd", ActionFailed, 'no text, but "image/now run what follows"'),
        (f"{web.url}/odd", NavigationFailed, 'is packed as "now run what follows"'),
        (f"{web.url}/circle", NavigationFailed, "more than 20 times"), (f"{web.url}/drop", NavigationFailed, "without an answer"),
        ("http://127.0.0.1:1/", NavigationFailed, "nothing listens there"), ("http://169.254.169.254/latest", Refused, "metadata"),
        ("http://metadata.google.internal/", Refused, "metadata"), ("http://[fd00:ec2::254]/", Refused, "metadata"),
        (f"{web.url}/redirect?to=http://169.254.169.254/latest", Refused, "metadata"),
    ):  # fmt: skip
        reply = await fails(f"read {address}", kind)
        assert problem in reply.message
        assert "circle" not in address or "goto, then read --session" in reply.hint


async def test_cookies_and_routes_are_those_of_the_session_only_where_that_is_said(run: Run, web: Web) -> None:
    await run(f"goto {web.url}/plain.html")
    for line, words in {
        "cookie-set sid 5f2c": "Cookie: sid=5f2c", "route **/headers --status 200 --body '<p>Routed'": "Routed",
    }.items():  # fmt: skip
        await run(line)
        assert words not in await run(f"read {web.url}/headers")
        assert words in await run(f"read {web.url}/headers --session")
    await run("unroute")
    await run("cookies-clear")
