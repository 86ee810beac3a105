"""Headers and passwords that requests get."""

from gstack_browse.browser.transfer import capture
from gstack_browse.errors import ActionFailed, UsageError
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.replies import told_by
from tests.commands.web import Web


async def test_header_goes_with_every_request_until_it_is_taken_back(run: Run, check: Check, web: Web) -> None:
    """Send it from what is open already, too."""
    ask = "js fetch('/headers').then((reply) => reply.text())"
    visit = f"goto {web.url}/headers"
    await check({visit: "…", "header X-Team blue": "Header sent with every request: X-Team", ask: "…X-Team: blue…"})  # fmt: skip
    assert await run("header user-agent - ", stdin="mine\n") == "Header sent with every request: user-agent"
    await run(visit)
    told = (await run("text")).lower()
    assert [told.count(part) for part in ("x-team: blue", "user-agent: mine", "user-agent")] == [1, 1, 1]
    await check([
        (ask.replace("/headers", f"{web.other}/headers"), "…X-Team: blue…"), ("headers", "X-Team      every site\nuser-agent  every site"),
        ("header x-team", "Header no longer sent: x-team"), ("header user-agent", "…"), ("headers", "Nothing is added to requests"),
        ("header x-team", ActionFailed), (visit, "…"),
    ])  # fmt: skip
    assert "X-Team" not in await run("text")
    assert "X-Team" not in await run("js", ask.removeprefix("js "))


async def test_a_header_of_a_site_goes_nowhere_else(run: Run, shell: Shell, visit: Show, web: Web) -> None:
    await run(f"header Authorization - --origin {web.url}/x", stdin="Bearer s3cret-of-mine")
    await visit("headers")
    assert "Authorization: [redacted]" in await run("text")
    await visit(f"headers?to={web.other}/headers")
    assert await run("url") == f"{web.other}/headers"
    assert "Authorization" not in await run("text")
    await run("newtab", f"{web.url}/headers")
    assert "Authorization" in await run("text")
    assert "s3cret" not in told_by(shell)


async def test_password_goes_to_its_site(run: Run, fails: Fails, check: Check, web: Web, shell: Shell) -> None:
    here, there = f"goto {web.url}/members", f"goto {web.other}/members"
    await fails("http-auth ann", UsageError, stdin="x")
    await check({here: "…", "text": "…Who?…"})
    said = await run("http-auth ann", stdin="wrong horse\n")
    assert said == f"Password of ann is given to {web.url} when it asks"
    await check({"reload": "…", "text": "…Who?…"})
    await run(f"http-auth ann --origin {web.other}", stdin="correct horse\n")
    await check([
        (there, "…"), ("text", "…Hello ann…"), (here, "…"), ("text", "…Who?…"), ("headers", f"user ann  {web.url}\nuser ann  {web.other}"),
    ])  # fmt: skip
    assert await run("http-auth ann", stdin="") == f"No password is given to {web.url} any more"
    await fails("http-auth ann", ActionFailed, stdin="")
    await fails("http-auth ann password", UsageError)
    assert "horse" not in told_by(shell)


async def test_they_come_along_to_another_browser(run: Run, check: Check, shell: Shell, web: Web) -> None:
    await run("header X-Team blue")
    await run(f"http-auth ann --origin {web.url}", stdin="correct horse")
    await check([
        (f"goto {web.url}/members", "…"), ("useragent Mine/1.0", "…"), ("text", "…Hello ann…"), (f"goto {web.url}/headers", "…"),
        ("text", "…X-Team: blue…"),
    ])  # fmt: skip
    state = await capture.capture_state(shell.browser)
    assert state.from_dict(state.as_dict()).extras == shell.browser.extras.state()
    assert ("blue" in repr(shell.browser.extras.headers), "correct horse" in state.revealed) == (False, True)


async def test_invalid_header_is_refused(check: Check) -> None:
    words = ("'X: y' z", "Cookie a=b", "X-A ü", "Host a", "X-A b --origin nonsense:x")
    await check({f"header {each}": UsageError for each in words})
