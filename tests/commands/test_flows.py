import asyncio
import json
import re

import pytest

from gstack_browse.errors import ActionFailed, ExpectationFailed, Refused, UsageError
from tests.commands.conftest import As, Fails, Run, Save, Shell
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

LOGIN = """<title>Login</title><main><form aria-label="Sign in" action="/account" method="get">
<label>Email <input id=email name=email></label><label>Password <input type=password name=password></label>
<button>Sign in</button></form></main>"""
ACCOUNT = "<h1>Welcome</h1><button onclick=\"alert('Bye')\">Sign out</button>"


@pytest.fixture
def login(web: Web) -> str:
    web.pages["/login"] = LOGIN, {}
    web.pages["/account"] = ACCOUNT, {}
    return f"{web.url}/login"


async def record(run: Run, login: str) -> None:
    await run("flow-start")
    await run("goto", login)
    await run("snapshot -i")
    await run("fill label=Email ann@example.com")
    await run("fill label=Password", "open sesame 7")
    await run("click text='Sign in'")
    await run("click 'role=button[name=\"Sign out\"]'")
    await run("expect text Welcome")


async def test_saved_flow_has_no_secret_runs_with_other_values_and_writes_reports(
    run: Run, fails: Fails, login: str, shell: Shell
) -> None:
    await record(run, login)
    file = shell.workspace / "login.flow"
    said = await run(f"flow-stop {file} --as-var ann@example.com=email")
    assert said == f"Saved 8 steps to {file} (1 variable: email; 1 secret: password)"
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text()
    assert text.splitlines() == [
        "# gbrowse flow 1",
        "# var email = ann@example.com",
        "# secret password",
        f"goto {login}",
        "fill label=Email $email",
        '#@ textbox "Email" tag=input id=email name=email near="Password Sign in" in="form \\"Sign in\\"<main" order=1/1',
        "fill label=Password $password",
        '#@ textbox "Password" tag=input name=password type=password near="Email Sign in" in="form \\"Sign in\\"<main" order=1/1',
        "click 'text=Sign in'",
        '#@ button "Sign in" tag=button near="Email Password" in="form \\"Sign in\\"<main" order=1/1',
        "expect url '**/account?**'",
        "click 'role=button[name=\"Sign out\"]'",
        '#@ button "Sign out" tag=button order=1/1',
        "expect dialog =Bye",
        "expect text Welcome",
    ]
    assert await run(f"flow-check {file}") == (
        "login.flow can run: 8 steps, 4 with what identifies their elements (1 variable: email; 1 secret: password)"
    )
    named = shell.workspace / "named.flow"
    await run(f"flow-save {named} --last 6 --as-var ann@example.com=myEmail")
    assert "\n# var myEmail = ann@example.com\n" in named.read_text(), "the name as it was typed"
    assert (await fails(f"flow-run {file}", UsageError)).message == "The variable password has no value"
    refused = await fails(f"flow-run {file} --var password=x", Refused)
    assert refused.message == "password is a secret: others can read it on a command line"
    values = shell.workspace / "values.json"
    values.write_text(json.dumps({"password": "open sesame 7"}))
    html, junit = shell.workspace / "r.html", shell.workspace / "r.xml"
    said = await run(
        f"flow-run {file} --var email=bob@example.com --vars {values} --report {html} --junit {junit}"
    )
    lines = said.splitlines()
    assert [re.sub(r" +[0-9]+ ms", "", line) for line in lines] == [
        f" 1 goto {login}",
        " 2 fill label=Email $email",
        " 3 fill label=Password $password",
        " 4 click 'text=Sign in'",
        "→ now at " + login.replace("/login", "/account?email=bob%40example.com&password=[redacted]"),
        " 5 expect url '**/account?**'",
        " 6 click 'role=button[name=\"Sign out\"]'",
        '→ alert "Bye": accepted',
        " 7 expect dialog =Bye",
        " 8 expect text Welcome",
        "8 steps passed in",
    ]
    assert "sesame" not in html.read_text() + junit.read_text() + said
    assert html.read_text().count("data:image/jpeg;base64,") >= 5
    assert junit.read_text().count("<testcase ") == 8


SECRETS = {
    "password": "hunter-2 hunter",
    "card": "4111 1111 1111 1111",
    "security code": "7391",
    "one-time code": "482913",
    "password as keys": "tr0ub4dor",
    "token in an address": "tok-8f3a91bc",
    "password in an address": "pa55-in-url",
    "header": "Bearer abcdefgh12345678",
    "cookie": "sid-77b1c0de",
    "stored item": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.c2lnbmF0dXJl",
    "key in code": "sk_live_51H8abcdefghijkl",
    "password of a form": "form-secret-9",
    "vault": "vault-secret-3",
}
FIELDS = """<form aria-label=Pay action=/paid><label>Password <input type=password name=pw></label>
<label>Card <input autocomplete=cc-number name=cc></label><label>CVC <input autocomplete=cc-csc name=csc></label>
<label>Code <input autocomplete=one-time-code name=code></label><label>Again <input type=password name=again></label>
<label>Third <input type=password name=third></label><label>Fourth <input type=password name=fourth></label>
<label>Note <input name=note></label><button>Pay</button></form>"""


FORMATS = ("pytest", "playwright-test", "recorder", "side", "shell", "python")


async def test_no_secret_stands_in_a_flow_a_report_or_an_export(
    run: Run, web: Web, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirteen kinds are typed; then all that was printed and written is searched for them."""
    web.pages["/pay"] = FIELDS, {}
    web.pages["/paid"] = "<title>Paid</title>", {}
    host = web.url.removeprefix("http://")
    shell.browser.revealed.add(SECRETS["vault"])
    await run("flow-start")
    await run("header X-Auth", SECRETS["header"])
    await run(
        "goto",
        f"http://ann:{SECRETS['password in an address']}@{host}/pay?access_token={SECRETS['token in an address']}",
    )
    await run("cookie-set sid", SECRETS["cookie"])
    await run("storage-set jwt", SECRETS["stored item"])
    await run("fill label=Password", SECRETS["password"])
    await run("fill label=Card", *SECRETS["card"].split())
    await run("fill label=CVC", SECRETS["security code"])
    await run("type --into label=Code", SECRETS["one-time code"])
    await run("focus label=Again")
    for key in SECRETS["password as keys"]:
        await run("press", key)
    await run("fill-form", json.dumps({"label=Third": SECRETS["password of a form"], "label=Note": "plain"}))
    await run("click label=Fourth")
    await run("type", SECRETS["vault"])
    await run("js", f"window.key = '{SECRETS['key in code']}'; 1")
    await run("storage-set step 2")
    await run("expect count button 1")
    await run("click text=Pay")
    file, html, junit = (shell.workspace / name for name in ("pay.flow", "pay.html", "pay.xml"))
    said = await run(f"flow-stop {file}")
    text = file.read_text()
    names = re.findall(r"# secret (\w+)", text)
    assert len(names) >= 12
    assert "fill label=Note plain" in text
    assert "storage-set step $storage_set_step" in text
    assert "expect count button 1" in text, "a short secret is replaced in its own step only"
    for key in SECRETS["password as keys"]:
        assert f"press {key}\n" not in text
    assert "click text=Pay" in text
    assert "expect url '**/paid?**'" in text
    values = shell.workspace / "values.json"
    given = {name: f"given-{name}-9x" for name in names} | {"cc": "5555 5555 5555 4444", "csc": "8264"}
    values.write_text(json.dumps(given))
    ran = await run(f"flow-run {file} --vars {values} --report {html} --junit {junit}")
    exports = [shell.workspace / f"pay.{name}" for name in FORMATS]
    for name, exported in zip(FORMATS, exports, strict=True):
        said += await run(f"flow-export {file} {exported} --to {name} --leave-out")
    files = [file, html, junit, *exports]
    written = "\n".join([said, ran, *(each.read_text() for each in files)])
    # Four digits are in base64, in a port and in an identifier by chance: pictures are left out, and secrets are whole words.
    words = re.sub(r"base64,[^\"]*", "", written)
    found = [
        kind for kind, secret in (SECRETS | given).items() if re.search(rf"\b{re.escape(secret)}\b", words)
    ]
    assert found == []
    assert "No picture: a secret can be read on the page" in html.read_text()


FORM = """<main><form aria-label=Profile><label>Name <input name=who></label><button id=save>Save</button></form>
<button onclick="document.title = 'deleted'">Delete</button><script>
document.forms[0].onsubmit = (event) => { event.preventDefault(); document.title = 'saved' }</script></main>"""


async def test_run_opens_pages_as_their_server_has_them_now(
    run: Run, fails: Fails, web: Web, shell: Shell
) -> None:
    """Chromium would take the page from its cache, and the flow would pass on what has gone."""
    web.pages["/kept"] = "<h1>Old</h1>", {"Cache-Control": "max-age=3600"}
    file = shell.workspace / "kept.flow"
    file.write_text(f"# gbrowse flow 1\ngoto {web.url}/kept\nexpect text Old --timeout 50\n")
    assert "2 steps passed" in await run(f"flow-run {file}")
    web.pages["/kept"] = "<h1>New</h1>", {"Cache-Control": "max-age=3600"}
    await run(f"goto {web.url}/kept")
    assert await run("text h1") == "Old", "the cache is as it was outside of a run"
    assert "Step 2" in (await fails(f"flow-run {file}", ExpectationFailed)).message
    web.pages["/app"] = "<input aria-label=Name>", {}
    await run(f"goto {web.url}/app#list")
    await run("fill label=Name Ann")
    file.write_text(
        f"# gbrowse flow 1\ngoto {web.url}/app#list\nexpect value label=Name ''\ngoto {web.url}/app#more\n"
    )
    assert "3 steps passed" in await run(f"flow-run {file}"), (
        "the page as it was left is not what the flow begins with"
    )


async def test_run_presses_nothing_before_the_page_has_loaded(run: Run, web: Web, save: Save) -> None:
    """Many pages add their handlers then."""
    web.pages["/loads"] = (
        """<title>.</title><button id=go>Go</button><img src=/gate/picture>
        <script>onload = () => go.onclick = () => document.title = 'pressed'</script>""",
        {},
    )
    file = await save("/loads", "click text=Go")
    web.later(1, web.gate("picture").set)
    await run(f"flow-run {file} --from 2")
    assert await run("title") == "pressed"


async def test_keys_wait_for_the_element_that_had_the_focus_and_else_stop(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    """A page that opens its field late, or another one, would take the text for its own shortcuts."""
    page = """<title>-</title><button id=new>New</button><label hidden>Name <input onchange="document.title = value"></label>
        <label hidden>Note <textarea></textarea></label><script>new_ = document.getElementById('new')
        document.onkeydown = ({ target }) => { if (target === new_ || target.tagName === 'TEXTAREA') document.title += '!' }
        const open = (at) => { const box = document.querySelectorAll('label')[at]; box.hidden = false; box.control.focus() }
        new_.onclick = () => %s</script>"""
    web.pages["/keys"] = page % "open(0)", {}
    file = await save(
        "/keys", "click text=New", "type Ann", "press Enter", "press Control+k", options="--as-var Ann=name"
    )
    lines = file.read_text().splitlines()
    note = '#@ textbox "Name" tag=input'
    assert lines[-5:] == ["type $name", note, "press Enter", note, "press Control+k"]
    web.pages["/keys"] = page % "fetch('/gate/field').then(() => open(0))", {}
    web.later(1, web.gate("field").set)
    await run(f"flow-run {file} --var name=Bob")
    assert await run("title") == "Bob"
    for other, focused in (("0", 'button "New"'), ("open(1)", 'textbox "Note"'), ("new_.blur()", "nothing")):
        web.pages["/keys"] = page % other, {}
        stopped = (await fails(f"flow-run {file} --wait 100", ActionFailed)).message
        assert (
            stopped == f'Step 3 (type $name): changed: {focused} has the focus, and textbox "Name" had it then'
        )
        assert await run("title") == "-", "no key was pressed"


async def test_flow_of_the_last_commands_opens_their_page_or_says_that_nothing_does(
    run: Run, web: Web, shell: Shell
) -> None:
    web.pages["/form"] = FORM, {}
    file = shell.workspace / "part.flow"
    await run("goto", f"{web.url}/form")
    await run("fill '[name=who]' Ann")
    await run("click '#save'")
    said = await run(f"flow-save {file} --last 1")
    assert f"→ it begins with 'goto {web.url}/form'; what was done on that page before is not in it" in said
    assert "→ it begins" not in await run(f"flow-save {file} --last 3")
    await run("dialog-dismiss")
    await run("goto", f"{web.url}/form")
    assert "→ it" not in await run(f"flow-save {file} --last 2"), "it opens the page after its first step"
    await run("goto about:blank")
    await run("js 1+1")
    assert "acts on a page that no address leads to" in await run(f"flow-save {file} --last 1")


async def saved_lines(save: Save, path: str, *steps: str, options: str = "") -> list[str]:
    """Save a flow of these steps. Return its lines without notes, from the first step on that page on."""
    text = (await save(path, *steps, options=options)).read_text()
    return [line for line in text.splitlines() if not line.startswith(("#", "goto"))]


async def test_expectation_of_a_dialog_leaves_out_what_stands_from_its_first_number_on(
    web: Web, save: Save
) -> None:
    asked = {
        "Delete it?": "expect dialog '=Delete it?'",
        "Refund 51.79 euros to Ann?": "expect dialog Refund",
        "3 rows are gone": "expect dialog /./",
    }
    web.pages["/ask"] = "".join(f"<i onclick=\"alert('{said}')\">{at}</i>" for at, said in enumerate(asked)), {}
    steps = [f"click text={at}" for at in range(len(asked))]
    expected = [line for both in zip(steps, asked.values(), strict=True) for line in both]
    assert await saved_lines(save, "/ask", *steps) == expected


SAYS = {
    "said.textContent = 'Voucher redeemed'": ["expect text 'Voucher redeemed'"],
    "said.textContent = 'Order 17 of Ann placed'": ["expect text 'of Ann placed'"],
    "said.textContent = 'Room 7 b is kept'": ['expect text "$room is kept"'],
    "said.textContent = '=17'": [],
    "said.textContent = 'Dezember 2026'": [],
    "said.textContent = '3 May 2027'": [],
    "said.textContent = 'Saving…'": [],
    "fetch('/status/503').then(() => said.textContent = 'Nothing was saved')": [],
    "location = '/other'": ["expect url '**/other'"],
}
"""What a press does, and the lines that stand behind it in the flow."""


async def test_message_behind_an_action_is_expected_by_its_longest_part_without_a_number(
    web: Web, save: Save
) -> None:
    """Leave out messages of progress, of another page, in a frame, and of a request that failed."""
    says = "<p role=status id=said></p>"
    buttons = "".join(f'<i id=b{at} onclick="{script}">Go</i>' for at, script in enumerate(SAYS))
    web.pages["/say"], web.pages["/other"] = (says + buttons, {}), (says.replace("</p", "Another page</p"), {})
    steps = [f"click '#b{at}'" for at in range(len(SAYS))]
    expected = [line for step, lines in zip(steps, SAYS.values(), strict=True) for line in (step, *lines)]
    assert await saved_lines(save, "/say", *steps, options="--as-var 'Room 7 b=room'") == expected
    inner = "<button onclick=parent.said.textContent='Redeemed'>Go</button>"
    web.pages["/say"] = f'{says}<iframe srcdoc="{inner}"></iframe>', {}
    steps = ["frame iframe", "click text=Go"]
    assert await saved_lines(save, "/say", *steps, "frame main") == steps, "the message is not in the frame"


async def test_download_is_expected_by_the_name_that_the_site_gives_it(run: Run, web: Web, save: Save) -> None:
    """Beside the file of an earlier run it is kept under another name."""
    web.pages["/files"] = "<a href=/f.csv download='flow data.csv'>Get</a>", {}
    web.pages["/f.csv"] = "a,b", {"Content-Type": "text/csv"}
    expected = []
    for _ in range(2):
        file = await save("/files", "click text=Get", "wait --download")
        expected += [line for line in file.read_text().splitlines() if line.startswith("expect")]
        for _ in range(2):
            assert "steps passed" in await run(f"flow-run {file}")
    assert expected == ["expect downloads 'flow data.csv'", "expect downloads 'flow data*.csv'"]


async def test_run_writes_a_healed_flow_or_removes_that_of_an_earlier_run(
    run: Run, web: Web, shell: Shell, save: Save
) -> None:
    web.pages["/form"] = FORM, {}
    healed = shell.workspace / "form.healed.flow"
    file = await save("/form", "click '#save'", "expect title saved")
    moved = f"<p>New</p><div>{FORM.replace('id=save', 'id=other')}</div>"
    changed = FORM.replace(">Save<", ">Delete all<")
    web.pages["/form"] = moved, {}
    said = await run(f"flow-run {file} --heal yes --wait 50")
    assert '→ healed: button "Save" in form "Profile" (other id)' in said
    assert said.endswith(f"→ 1 healed: {healed}")
    assert "removed" not in said
    text = healed.read_text()
    assert "click 'role=button[name=\"Save\"]'" in text
    assert "3 steps passed" in await run(f"flow-run {healed}")
    assert not (shell.workspace / "form.healed.healed.flow").exists()
    for later, options in ((FORM, ""), (changed, ""), (changed, "--json"), (moved, "--var nope=1")):
        healed.write_text(text)
        web.pages["/form"] = later, {}
        reply = await shell.send(f"flow-run {file} --wait 50 --heal yes {options}")
        assert healed.exists() == (reply.code == UsageError.code), "a run that cannot begin changes nothing"
        if not options:
            assert f"→ removed {healed}, which an earlier run wrote" in reply.text
    await shell.send(f"flow-run {file} --wait 50 --heal no")
    assert healed.exists(), "a run that heals nothing leaves it alone"


async def test_outputs_over_the_flow_or_each_other_are_refused(shell: Shell, web: Web, save: Save) -> None:
    web.pages["/form"] = FORM, {}
    file = await save("/form", "click '#save'")
    text = file.read_text()
    (shell.workspace / "link.flow").symlink_to(file)
    (shell.workspace / "values.json").write_text("{}")
    for options in (
        "--report form.flow", "--junit ./form.flow", "--report a.out --junit a.out",
        "--heal yes --report form.healed.flow", "--vars values.json --report values.json",
    ):  # fmt: skip
        reply = await shell.send(f"flow-run form.flow {options}")
        assert (reply.code, "would be written over" in reply.message) == (UsageError.code, True), options
    assert (await shell.send("flow-run link.flow --report form.flow")).code == UsageError.code
    assert file.read_text() == text
    assert not (shell.workspace / "a.out").exists()


async def test_second_run_in_a_tab_is_refused_while_the_first_one_goes_on(
    run: Run, web: Web, shell: Shell
) -> None:
    """Else one saves what the other has filled in, and says that it passed."""
    file, gate = shell.workspace / "slow.flow", web.gate("slow")
    file.write_text(f"# gbrowse flow 1\ngoto {web.url}/gate/slow\n")
    await run("goto", web.url)
    runs = [asyncio.create_task(shell.send(f"flow-run {file}")) for _ in range(2)]
    (refused,), (going_on,) = await asyncio.wait(runs, return_when=asyncio.FIRST_COMPLETED)
    message = "The flow slow runs in this tab already"
    assert ((await refused).code, (await refused).message) == (ActionFailed.code, message)
    gate.set()
    assert (await going_on).code == 0
    assert "1 step passed" in await run(f"flow-run {file}")


async def test_report_shows_the_candidates_of_the_step_that_stopped(run: Run, web: Web, shell: Shell) -> None:
    page = "<div style='height:{0}px'></div><button>Save</button><button>Save</button><div style='margin-top:3000px'><button>Save</button></div>"
    web.pages["/framed"] = page.format(60), {}
    web.pages["/plain"] = page.format(20), {}
    web.pages["/frame"] = "<iframe style='margin:90px' width=500 height=200 src=/framed></iframe>", {}
    html = shell.workspace / "stop.html"
    for path, steps in (("/plain", ""), ("/frame", "frame iframe\n")):
        file = shell.workspace / "stop.flow"
        file.write_text(
            f"# gbrowse flow 1\ngoto {web.url}{path}\n{steps}click 'role=button[name=\"Save\"]'\n"
            '#@ button "Save" tag=button order=1/1\n'
        )
        reply = await shell.send(f"flow-run {file} --wait 50 --report {html}")
        text = html.read_text()
        refs = re.findall(r"  (@e\d+) button", reply.hint)
        assert len(refs) == 3
        marked = re.findall(
            r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/>\s<text [^>]*>(@e\d+)<', text
        )
        assert [each[-1] for each in marked] == refs[:2], "the third is further down"
        assert f"Not in the picture: {refs[2]}" in text
        for *sides, ref in marked:
            measured = (await run(f"box {ref}")).split(",")
            assert [float(side) for side in sides] == pytest.approx(list(map(float, measured)), abs=1)
        size = json.loads(await run("js", "JSON.stringify([top.innerWidth, top.innerHeight])"))
        assert f'<svg viewBox="0 0 {size[0]} {size[1]}"' in text
        await run("frame main")


async def test_refs_in_frames_are_saved_with_the_way_to_their_frame(run: Run, web: Web, shell: Shell) -> None:
    """Name also the tab that a link in a frame opens."""
    inner = "<iframe name=inner srcdoc='<button onclick=\"this.textContent = 1\">Deep</button><a href=/two target=_blank>Two</a>'></iframe>"
    web.pages["/inner"], web.pages["/two"] = (inner, {}), ("<button>Go</button>", {})
    web.pages["/frames"] = (
        "<iframe id=outer src=/inner></iframe><button onclick='document.title = 1'>Top</button>",
        {},
    )
    file = shell.workspace / "frames.flow"
    await run("goto", f"{web.url}/frames")
    refs = {name: ref for ref, name in re.findall(r'(@e\d+) \[\w+\] "(\w+)"', await run("snapshot -i"))}
    await run("click", refs["Deep"])
    opened = await run("click", refs["Two"])
    await run("click", refs["Top"])
    await run("tab", opened.rsplit("opened tab ")[1].split(":")[0])
    await run("click text=Go")
    await run(f"flow-save {file} --last 6")
    assert [line for line in file.read_text().splitlines() if line.startswith("#@ tab") or line[0] != "#"] == [
        f"goto {web.url}/frames",
        "frame '#outer'",
        "frame 'iframe[name=\"inner\"]'",
        "click 'role=button[name=\"Deep\"]'",
        "click 'role=link[name=\"Two\"]'",
        "#@ tab 2",
        "frame main",
        "click 'role=button[name=\"Top\"]'",
        "tab 2",
        "click text=Go",
    ]
    assert "9 steps passed" in await run(f"flow-run {file}")


async def test_report_of_a_session_has_its_steps_failures_and_no_secret(
    run: Run, fails: Fails, web: Web, login: str, shell: Shell
) -> None:
    html, junit = shell.workspace / "session.html", shell.workspace / "session.xml"
    assert (await fails(f"report-stop {html}", ActionFailed)).message == "No report is recorded"
    await run("report-start")
    await run("goto", login)
    await run("fill label=Password", "open <sesame> 7")
    await run("press %")
    await shell.send("click '#nope' --timeout 50")
    await run("click text='Sign in'")
    await run("js", "console.error('<b>Oh no</b>'); 1")
    assert await run(f"report-stop {html} --junit {junit}") == f"Report saved: {html} (6 steps, 1 failed)"
    page, cases = html.read_text(), junit.read_text()
    assert "fill label=Password $password" in page
    assert "press (a key)" in page
    assert "press %" not in page + cases
    assert "No element matches #nope" in page
    assert "console: &lt;b&gt;Oh no&lt;/b&gt;" in page
    assert page.count("data:image/jpeg;base64,") >= 3
    assert "sesame" not in page + cases
    assert cases.count("<testcase ") == 6
    assert cases.count("<failure ") == 1
    assert "<script" not in page


async def test_run_prints_a_line_of_json_for_each_step(run: Run, web: Web, shell: Shell, save: Save) -> None:
    web.pages["/form"] = FORM, {}
    file = await save("/form", "click '#save'")
    lines = [json.loads(line) for line in (await run(f"flow-run {file} --json")).splitlines()]
    assert [(line.get("step"), line["passed"]) for line in lines] == [(1, True), (2, True), (None, True)]
    assert lines[1]["line"] == "click '#save'"
    assert (lines[2]["steps"], lines[2]["of"], lines[2]["healed_file"]) == (2, 2, "")
    web.pages["/form"] = FORM.replace(">Save<", ">Delete all<"), {}
    reply = await shell.send(f"flow-run {file} --json --wait 50")
    lines = [json.loads(line) for line in reply.text.splitlines()]
    assert [line["passed"] for line in lines] == [True, False, False]
    assert lines[1]["error"].startswith("changed: ")
    assert any('button "Delete all"' in each for each in lines[1]["candidates"])


async def test_included_flow_lies_beside_or_below_and_ends(
    run: Run, fails: Fails, web: Web, shell: Shell
) -> None:
    web.pages["/form"] = FORM, {}
    top, folder = shell.workspace / "top.flow", shell.workspace / "parts"
    folder.mkdir(exist_ok=True)
    (folder / "open.flow").write_text(f"# gbrowse flow 1\n# var where = {web.url}/form\ngoto $where\n")
    top.write_text("# gbrowse flow 1\ninclude parts/open.flow\nexpect text Name\n")
    assert "2 steps passed" in await run(f"flow-run {top}")
    outside = shell.workspace.parent / "outside.flow"
    outside.write_text("# gbrowse flow 1\nurl\n")
    (folder / "link.flow").symlink_to(outside)
    for name, problem in {
        "../outside.flow": "lies beside this one or below",
        "parts/link.flow": "lies beside this one or below",
        "/etc/passwd": "lies beside this one or below",
        "top.flow": "includes itself",
    }.items():
        top.write_text(f"# gbrowse flow 1\ninclude {name}\n")
        reply = await fails(f"flow-check {top}", UsageError)
        assert reply.message.startswith("top.flow, line 2: ")
        assert problem in reply.message
    top.write_text("# gbrowse flow 1\nflow-run other.flow\n")
    assert "a flow cannot contain flow-run" in (await fails(f"flow-check {top}", UsageError)).message
    top.write_text("# gbrowse flow 1\nclick\n")
    assert (await fails(f"flow-check {top}", UsageError)).message == "top.flow, line 2: click needs <target>"


async def test_values_come_from_options_files_the_environment_and_defaults(
    run: Run, fails: Fails, web: Web, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.pages["/form"] = "<title>t</title><input aria-label=a><input aria-label=b><input aria-label=c>", {}
    file, values = shell.workspace / "v.flow", shell.workspace / "v.json"
    file.write_text(
        "# gbrowse flow 1\n# var a = one\n# var b\n# secret c\n"
        f"goto {web.url}/form\nfill label=a $a\nfill label=b $b\nfill label=c $c\n"
    )
    for options, message in (
        ("--var x=1", "The flow has no variable x"), ("", "The variable b has no value"), ("--from 3", "The variable b has no value"),
        ("--from 4", "The variable c has no value"), ("--var b=1 --from 9", "The flow has no step 9"),
    ):  # fmt: skip
        assert (await fails(f"flow-run {file} {options}", UsageError)).message == message
    values.write_text("[1]")
    assert "one JSON object" in (await fails(f"flow-run {file} --vars {values}", UsageError)).message
    values.write_text('{"b": "file"}')
    monkeypatch.setenv("FLOW_C", "from-the-environment")
    monkeypatch.setenv("FLOW_B", "environment")
    said = await run(f"flow-run {file} --vars {values}")
    assert "from-the-environment" not in said
    assert [await run(f"value label={name}") for name in "ab"] == ["one", "file"]
    await run(f"flow-run {file} --var a=two --vars -", stdin='{"b": "piped"}')
    assert [await run(f"value label={name}") for name in "ab"] == ["two", "piped"]


async def test_flow_and_report_may_be_begun_by_the_first_command_of_a_context(
    by: As, web: Web, shell: Shell
) -> None:
    web.pages["/form"] = FORM, {}
    file, html = shell.workspace / "new.flow", shell.workspace / "new.html"
    await by("flown", "flow-start")
    await by("reported", "report-start")
    await by("reported", "goto", f"{web.url}/form")
    assert "(1 step, 0 failed)" in await by("reported", f"report-stop {html}")
    assert "flown" in await by("", "contexts")
    await by("flown", "goto", f"{web.url}/form")
    assert await by("flown", f"flow-stop {file}") == f"Saved 1 step to {file}"
    await by("flown", "flow-start")
    await by("", "context-close flown")
    assert "flown" not in await by("", "contexts")
