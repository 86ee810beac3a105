"""`read`: a web page as Markdown, without a browser."""

import gzip

import pytest

from gstack_browse.errors import ActionFailed, NavigationFailed, NoMatch, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell
from tests.commands.web import TYPES, Web
from tests.pdf_files import Sheet, lines, pdf
from tests.unit.documents.reader.test_reader import PAGE

pytestmark = pytest.mark.same_session


async def test_a_page_is_read_without_a_tab(run: Run, fails: Fails, web: Web, shell: Shell) -> None:
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
    await fails(f"read {address} --section Pumps --outline", UsageError)
    await fails("read ./page.html", UsageError)
    assert await run("url") == "about:blank"
    assert await run("network --all-pages") == "(no requests)"


async def test_kinds_of_answers(run: Run, fails: Fails, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for suffix, kind in (
        (".md", "text/markdown"),
        (".json", "application/json"),
        (".pdf", "application/pdf"),
        (".txt", "text/plain"),
    ):
        monkeypatch.setitem(TYPES, suffix, kind)
    web.pages |= {
        "/a.md": ("# As *it* is", {}),
        "/a.json": ('{"a": 1}', {}),
        "/llms.txt": ("# The site\n\n- [A](/a)", {}),
    }
    web.pages["/a.pdf"] = pdf(Sheet(lines("Of a PDF"))), {}  # type: ignore[assignment]
    assert await run(f"read {web.url}/a.md") == "# As *it* is"
    assert await run(f"read {web.url}/a.json") == '{"a": 1}'
    assert await run(f"read {web.url}/a.pdf") == "# a.pdf\n\nOf a PDF"
    assert await run(f"read {web.url}") == "# The site\n\n- [A](/a)"
    assert (await fails(f"read {web.url}/bytes", ActionFailed)).message.endswith(
        "is no text, but application/octet-stream"
    )
    reply = await fails(f"read {web.url}/status/404", ActionFailed)
    assert (reply.text, reply.message) == ("# 404\n\n# Status 404", f"{web.url}/status/404 answered 404")
    assert await run(f"read {web.url}/redirect?to=/a.md") == "# As *it* is"
    for path, problem in (("/circle", "more than 20 times"), ("/drop", "without an answer")):
        assert problem in (await fails(f"read {web.url}{path}", NavigationFailed)).message
    assert "goto, then read --session" in (await fails(f"read {web.url}/circle", NavigationFailed)).hint
    empty = web.show("<div id=root></div><script src=/app.js></script>")
    assert (await run(f"read {empty}")).endswith(f"→ empty without scripts: goto {empty}")
    packed = web.show("<p>Packed", Content_Encoding="gzip")
    web.pages[packed.removeprefix(web.url)] = gzip.compress(b"<p>Packed"), {"Content-Encoding": "gzip"}  # type: ignore[assignment]
    assert (await run(f"read {packed}")).endswith("Packed")
    for suffix, label in ((".latin", "iso-8859-1"), (".puny", "punycode")):
        monkeypatch.setitem(TYPES, suffix, f"text/html; charset={label}")
        web.pages[f"/old{suffix}"] = "<p>“Old” – 5 €".encode("cp1252"), {}  # type: ignore[assignment]
        assert (await run(f"read {web.url}/old{suffix}")).endswith("“Old” – 5 €")
    bomb = gzip.compress(b"<p>" + b"a" * 50_000_000)
    web.pages[packed.removeprefix(web.url)] = bomb, {"Content-Encoding": "gzip"}  # type: ignore[assignment]
    assert len(await run(f"read {packed} --max 9000000")) < 5_100_000


async def test_cookies_and_routes_are_those_of_the_session_only_where_that_is_said(
    run: Run, fails: Fails, web: Web
) -> None:
    await run(f"goto {web.url}/plain.html")
    await run("cookie-set sid 5f2c")
    assert "Cookie" not in await run(f"read {web.url}/headers")
    assert "Cookie: sid=5f2c" in await run(f"read {web.url}/headers --session")
    await run("route **/headers --status 200 --body '<p>Routed'")
    assert "Routed" not in await run(f"read {web.url}/headers")
    assert "Routed" in await run(f"read {web.url}/headers --session")
    await run("unroute")
    await run("cookies-clear")


async def test_rules_for_pages_hold(fails: Fails, web: Web) -> None:
    for address in (
        "http://169.254.169.254/latest",
        "http://metadata.google.internal/",
        "http://[fd00:ec2::254]/",
    ):
        assert "metadata" in (await fails(f"read {address}", Refused)).message
    leading = f"{web.url}/redirect?to=http://169.254.169.254/latest"
    assert "metadata" in (await fails(f"read {leading}", Refused)).message
    assert "nothing listens there" in (await fails("read http://127.0.0.1:1/", NavigationFailed)).message
