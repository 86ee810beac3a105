"""`links --check`: where links lead, with the browser's cookies and headers, whatever servers do."""

from base64 import b64encode

import pytest

from gstack_browse.errors import ActionFailed, ProblemsFound, TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


def links(*addresses: str) -> str:
    return "".join(f"<a href='{address}'>to {address}</a> " for address in addresses)


NOT_CHECKED = [
    "Not checked: 1 link of other kinds (mailto:, javascript: …)",
    "Not checked: 1 link that may sign out",
    "Not checked: 1 link to other sites: --all-sites",
]


async def test_the_broken_ones_are_found(run: Run, fails: Fails, show: Show, web: Web) -> None:
    web.pages["/here"] = "<h1 id='a&amp;b'>Here</h1>", {}
    fine = links("/plain.html", "/half", "/chunked", "/here#a%26b", "/here#/route", "#top", "#in", "/redirect?to=/here")  # fmt: skip
    skipped = links("mailto:ann@example.com", "/logout", f"{web.other}/status/500")
    closed = "<x-more></x-more><script>document.querySelector('x-more').attachShadow({ mode: 'closed' }).innerHTML = '<a href=/gone>in</a>'</script>"
    bad = links("/gone", "/status/500", "/drop", "/circle", "/here#nothing", "#missing", "/redirect?to=/status/410")  # fmt: skip
    page = await show(f"<h2 id=in>In</h2>{fine}{skipped}{bad}{closed}")
    reply = await fails("links --check", ProblemsFound)
    assert reply.message == "7 of 15 links are broken"
    assert reply.notes == NOT_CHECKED
    lines = [line.replace(page, "PAGE").replace(web.url, "") for line in reply.text.splitlines()]
    assert [line.split(" ", 1)[0] + line.split(" →", 1)[1] for line in lines[:8]] == [
        "404 /gone (2 links)",
        "500 /status/500",
        "failed /drop: the server ends the connection without an answer",
        "failed /circle: redirected more than 20 times",
        "200 /here#nothing: nothing there is called #nothing",
        "200 PAGE#missing: nothing there is called #missing",
        "410 /redirect?to=/status/410 → /status/410",
        "200 /redirect?to=/here → /here",
    ]
    brief = await fails("links --check --broken", ProblemsFound)
    assert (brief.message, brief.text) == (reply.message, "\n".join(reply.text.splitlines()[:7]))
    await run(f"click {lines[1].split()[1]}")
    assert await run("url") == f"{web.url}/status/500"


async def test_links_are_checked_with_our_credentials(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show(links("/private", "/headers"))
    assert (await fails("links --check", ProblemsFound)).message == "1 of 2 links is broken"
    await run(f"http-auth ann --origin {web.url}", stdin="correct horse")
    assert "2 links checked, none is broken" in await run("links --check")
    await run("http-auth ann", stdin="")
    await run("emulate --offline on")
    await fails("links --check", ActionFailed)
    await run("emulate --offline off")
    await fails("links --all-sites", UsageError)


async def test_other_sites_are_asked_when_that_is_said(fails: Fails, run: Run, show: Show, web: Web) -> None:
    metadata = "http://169.254.169.254/latest/"
    await show(links(f"{web.other}/plain.html", f"/redirect?to={metadata}", metadata))
    assert "refused" in await run("links --check")
    found = (await run("links --check --all-sites")).splitlines()
    assert [line.split()[0] for line in found] == ["refused", "refused", "200", "3"]
    assert found[1].endswith(": is a cloud metadata service")
    await show(links(f"{web.other}/gone"))
    assert await run("links --check") == "(no links to check)"
    await fails("links --check --all-sites", ProblemsFound)


async def test_links_of_an_element_are_checked(fails: Fails, run: Run, show: Show, web: Web) -> None:
    web.pages["/here"] = "<h1>Here</h1>", {}
    host = "<x-in></x-in><script>document.querySelector('x-in').attachShadow({ mode: 'open' }).innerHTML = '<a href=/gone>in</a>'</script>"
    await show(f"<nav id=n>{links('/here')}</nav><main id=m>{host}</main>{links('/status/500')}")
    found = (await run("links '#n' --check")).splitlines()
    assert [line.split()[0] for line in found] == ["200", "1"]
    assert await run("links '#n' --check --broken") == "1 link checked, none is broken"
    assert (await fails("links '#m' --check", ProblemsFound)).text.startswith("404 ")
    for words in ("links --broken", "links --find x --check"):
        await fails(words, UsageError)


async def test_crawl_names_broken_links_and_their_pages(run: Run, fails: Fails, show: Show, web: Web) -> None:
    web.pages["/a"] = f"<h1 id=top-of-a>A</h1>{links('/b', '/gone', '/c#there', 'javascript:1')}", {}
    web.pages["/b"] = f"<base href=/deep/>{links('b2', '/gone', '/c#nowhere', '/a#top-of-a', '/logout')}", {}
    web.pages["/c"] = f"<p id=there><a href=/gone?c><img alt='A lost page'></a>{links('/redirect?to=/b')}", {}
    web.pages["/deep/b2"] = links("/gone", f"{web.other}/gone", "#own"), {}
    page = await show(links("/a", "#in", "/plain.html") + "<p id=in>")
    reply = await fails("links --check --crawl 20 --broken", ProblemsFound)
    assert reply.message == "4 of 13 links on 7 pages are broken", reply.text
    lines = [line.replace(web.url, "") for line in reply.text.splitlines()]
    assert lines == [
        '404 "to /gone" → /gone (3 links) (on /a, 2 more pages)',
        '200 "to /c#nowhere" → /c#nowhere: nothing there is called #nowhere (on /b)',
        '404 "A lost page" → /gone?c (on /c)',
        '200 "to #own" → /deep/b2#own: nothing there is called #own (on /deep/b2)',
    ]
    assert reply.notes == NOT_CHECKED
    assert len((await run("tabs")).splitlines()) == 1, "no tab was opened"
    assert await run("url") == page
    everywhere = await fails("links --check --crawl 20 --all-sites --broken", ProblemsFound)
    assert f'404 "to {web.other}/gone" → {web.other}/gone (on {web.url}/deep/b2)' in everywhere.text


async def test_check_and_crawl_are_bounded(run: Run, fails: Fails, show: Show, web: Web) -> None:
    for number in range(9):
        web.pages[f"/n{number}"] = links(f"/n{number + 1}"), {}
    await show(links("/n0") + "<nav><a href=/n8>8</a></nav>")
    for limit in (99, 10):  # 10: as many as there are
        reply = await fails(f"links --check --crawl {limit} --broken", ProblemsFound)
        assert (reply.message, reply.notes) == ("1 of 10 links on 10 pages is broken", [])
    few = await fails("links --check --crawl 3", ProblemsFound)
    assert few.message == "1 of 4 links on 3 pages is broken"
    assert few.notes == ["Links of 3 pages were read, and no more: --crawl"]
    assert f'404 "to /n9" → {web.url}/n9 (on {web.url}/n8)' in few.text
    web.pages["/n0"] = links("/hang", "/n1"), {}
    late = await fails("links --check --crawl 99 --timeout 1500", ProblemsFound)
    assert "The time was too short for 1 more link: --timeout" in late.notes
    await show(links("/plain.html", "/hang"))
    late = await fails("links --check --timeout 1500", TimedOut)
    assert late.message == "The time was too short for 1 link"
    assert late.text.startswith("200 @e")
    await fails("links --crawl 3", UsageError)
    await run("goto about:blank")
    await fails("links --check --crawl 3", ActionFailed)


async def test_crawl_reads_no_page_that_rules_forbid(run: Run, fails: Fails, show: Show, web: Web) -> None:
    web.pages["/a"] = links("/redirect?to=http://169.254.169.254/latest/", "/made", "/cut"), {}
    await run(f"route '**/made' --body '{links('/gone')}' --content-type text/html")
    await run("route '**/cut' --abort")
    await show(links("/a"))
    reply = await fails("links --check --crawl 9", ProblemsFound)
    lines = [line.split(" (on ")[0].replace(web.url, "") for line in reply.text.splitlines()]
    assert [line for line in lines if "@e" not in line] == [
        'failed "to /cut" → /cut: a route or har-replay has it fail',
        '404 "to /gone" → /gone',
        'refused "to /redirect?to=http://169.254.169.254/latest/" → /redirect?to=http://169.254.169.254/latest/ '
        "→ http://169.254.169.254/latest/: is a cloud metadata service",
        '200 "to /made" → /made',
    ]
    await run("unroute --all")


@pytest.mark.same_disk
async def test_files_lead_to_files(run: Run, fails: Fails, shell: Shell) -> None:
    (shell.workspace / "index.html").write_text(
        links("other.html", "missing.html", "/etc/passwd", "other.html#x", "other.html#there", "#own", "#none")
        + "<p id=own>"
    )
    (shell.workspace / "other.html").write_text("<p id=there>Other")
    await run("goto", (shell.workspace / "index.html").as_uri())
    lines = (await fails("links --check", ProblemsFound)).text.splitlines()
    assert [line.split()[0] for line in lines] == ["failed", "200", "200", "refused", "200", "200", "200"]
    assert lines[0].endswith("missing.html: there is no such file")
    assert sorted(line.rpartition(": ")[2] for line in lines if "nothing there" in line) == [
        "nothing there is called #none",
        "nothing there is called #x",
    ], "in this file, and in another"


async def test_rules_and_replays_hold(run: Run, fails: Fails, show: Show, web: Web, shell: Shell) -> None:
    await run("har-start")
    page = await show(links("/here#top-of-it", "/moved", "/plain.html", "/made", "/cut"))
    web.pages["/here"] = "<h1 id=top-of-it>Here</h1>", {}
    for path in ("/here", "/redirect?to=/status/410"):
        await run("goto", web.url + path)
    await run(f"goto {page}")
    await run(f"har-stop {shell.workspace}/site.har --bodies")
    await run("route '**/made' --body '<p id=a>' --header 'X-A: b'")
    await run("route '**/moved' --status 302 --header 'Location: /redirect?to=/status/410'")
    await run("route '**/cut' --abort")
    await run(f"har-replay {shell.workspace}/site.har")
    web.pages["/here"] = "not what it was", {}
    lines = (await fails("links --check", ProblemsFound)).text.splitlines()
    told = [line.split(" ", 1)[0] + line.split(" →", 1)[1].replace(web.url, "") for line in lines]
    assert told == [
        "410 /moved → /status/410",
        "failed /plain.html: a route or har-replay has it fail",
        "failed /cut: a route or har-replay has it fail",
        "200 /here#top-of-it",  # as it was recorded
        "200 /made",
    ], told
    assert "hit 1 time" in await run("unroute '**/moved'")
    await run("har-replay off")
    await run("unroute --all")
    login = b64encode(b"ann:correct horse").decode()
    await run(f"route '**/private' --set-header 'Authorization: Basic {login}'")
    await show(links("/private"))
    assert "none is broken" in await run("links --check")
