"""Headers and passwords that requests get."""

from gstack_browse.browser.transfer import capture
from gstack_browse.errors import ActionFailed, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web


async def test_a_header_goes_with_every_request_until_it_is_taken_back(
    run: Run, fails: Fails, visit: Show, web: Web
) -> None:
    """Send it from what is open already, too."""
    ask = "fetch('/headers').then((reply) => reply.text())"
    await visit("headers")
    assert "X-Team" not in await run("text")
    assert await run("header X-Team blue") == "Header sent with every request: X-Team"
    assert "X-Team: blue" in await run("js", ask)
    assert await run("header user-agent - ", stdin="mine\n") == "Header sent with every request: user-agent"
    await visit("headers")
    told = (await run("text")).lower()
    assert [told.count(part) for part in ("x-team: blue", "user-agent: mine", "user-agent")] == [1, 1, 1]
    assert "X-Team: blue" in await run("js", f"fetch('{web.other}/headers').then((reply) => reply.text())")
    assert await run("headers") == "X-Team      every site\nuser-agent  every site"
    assert await run("header x-team") == "Header no longer sent: x-team"
    await run("header user-agent")
    assert "X-Team" not in await run("js", ask)
    await visit("headers")
    assert "X-Team" not in await run("text")
    assert await run("headers") == "Nothing is added to requests"
    await fails("header x-team", ActionFailed)


async def test_a_header_of_a_site_goes_nowhere_else(run: Run, shell: Shell, visit: Show, web: Web) -> None:
    await run(f"header Authorization - --origin {web.url}/x", stdin="Bearer s3cret-of-mine")
    await visit("headers")
    assert "Authorization: [redacted]" in await run("text")
    await visit(f"headers?to={web.other}/headers")
    assert await run("url") == f"{web.other}/headers"
    assert "Authorization" not in await run("text")
    await run("newtab", f"{web.url}/headers")
    assert "Authorization" in await run("text")
    told = "".join(reply.text + reply.message + reply.hint + "".join(reply.notes) for reply in shell.replies)
    assert "s3cret" not in told


async def test_a_password_is_given_to_the_site_that_asks(
    run: Run, fails: Fails, visit: Show, web: Web, shell: Shell
) -> None:
    await fails("http-auth ann", UsageError, stdin="x")
    await visit("members")
    assert "Who?" in await run("text")
    said = await run("http-auth ann", stdin="wrong horse\n")
    assert said == f"Password of ann is given to {web.url} when it asks"
    await run("reload")
    assert "Who?" in await run("text")
    await run(f"http-auth ann --origin {web.other}", stdin="correct horse\n")
    await run("goto", f"{web.other}/members")
    assert "Hello ann" in await run("text")
    await visit("members")
    assert "Who?" in await run("text")
    assert await run("headers") == f"user ann  {web.url}\nuser ann  {web.other}"
    assert await run("http-auth ann", stdin="") == f"No password is given to {web.url} any more"
    await fails("http-auth ann", ActionFailed, stdin="")
    await fails("http-auth ann password", UsageError)
    told = "".join(reply.text + reply.message + reply.hint for reply in shell.replies)
    assert "horse" not in told


async def test_they_come_along_to_another_browser(run: Run, shell: Shell, visit: Show, web: Web) -> None:
    await run("header X-Team blue")
    await run(f"http-auth ann --origin {web.url}", stdin="correct horse")
    await visit("members")
    await run("useragent Mine/1.0")
    assert "Hello ann" in await run("text")
    await visit("headers")
    assert "X-Team: blue" in await run("text")
    state = await capture.capture_state(shell.browser)
    assert state.from_dict(state.as_dict()).extras == shell.browser.extras.state()
    assert ("blue" in repr(shell.browser.extras.headers), "correct horse" in state.revealed) == (False, True)


async def test_invalid_header_is_refused(fails: Fails) -> None:
    for words in ("'X: y' z", "Cookie a=b", "X-A ü", "Host a", "X-A b --origin nonsense:x"):
        await fails(f"header {words}", UsageError)
