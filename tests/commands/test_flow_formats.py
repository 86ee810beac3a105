"""Test that an exported flow passes where the flow passes, and fails where it fails."""

import os
from pathlib import Path

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Shell
from tests.commands.web import Web
from tests.exported import run_exported

pytestmark = pytest.mark.same_session

PAGE = """<title>Shop</title><form aria-label=Order onsubmit="event.preventDefault();
if (confirm('Order ' + who.value + '?')) { document.title = 'Ordered'; done.hidden = false }">
<label>Name <i aria-hidden=true>*</i><input id=who></label><label>Surname <input></label><label>Gift wrap <input></label>
<label>Key <i aria-hidden=true>*</i><input type=password name=key></label><label>Keyword <input></label><label><input type=checkbox> Gift</label>
<label>Size <select><option>Small<option>Large</select></label><button type=button>Order later</button><button>Order</button></form>
<p id=done hidden>Thank you</p><ul><li>a<li>b</ul><a href=/more target=_blank>More</a><iframe id=inner srcdoc="<button
onclick='this.textContent = 1'>Inside</button>"></iframe>"""


async def record(run: Run, web: Web, shell: Shell) -> Path:
    web.pages["/shop"], web.pages["/more"] = (PAGE, {}), ("<title>More</title><button>Last</button>", {})
    file = shell.workspace / "shop.flow"
    await run("flow-start")
    await run("viewport 900x700")
    await run("goto", f"{web.url}/shop")
    await run("fill label=Name 'Ann $1 \"x\"'")
    await run("fill label=Key", "open sesame")
    await run("check label=Gift")
    await run("select label=size Large")
    await run("expect value label=size Large")
    await run("click text=order")
    await run("expect text 'Thank you'")
    await run("expect title =Ordered")
    await run("expect --not visible 'text=Nothing'")
    await run("expect count li 2")
    await run("frame '#inner'")
    await run("click text=Inside")
    await run("expect text 1")
    await run("frame main")
    opened = await run("click text=More")
    await run("tab", opened.rsplit("opened tab ")[1].split(":")[0])
    await run("click text=Last")
    await run(f"flow-stop {file}")
    return file


@pytest.mark.playwright
async def test_exported_flow_passes_on_the_same_page_and_fails_on_another(
    run: Run, web: Web, shell: Shell
) -> None:
    file = await record(run, web, shell)
    out = shell.workspace / "test_shop.py"
    reply = await shell.send(f"flow-export {file} {out}")
    assert (reply.code, reply.text.partition(" (")[0]) == (0, f"Wrote {out} for pytest"), file.read_text()
    environment = {**os.environ, "FLOW_KEY": "open sesame"}
    changed = shell.workspace / "test_changed.py"
    changed.write_text(out.read_text().replace("/shop", "/changed"))
    web.pages["/changed"] = PAGE.replace("<li>b", ""), {}
    assert "to_have_count" in run_exported(changed, environment, after=out)
    await run("goto about:blank")
    values = shell.workspace / "values.json"
    values.write_text('{"key": "open sesame"}')
    assert "steps passed" in await run(f"flow-run {file} --vars {values}")


async def test_step_that_cannot_be_exported_is_named_and_nothing_is_written(
    run: Run, fails: Fails, shell: Shell
) -> None:
    file, out = shell.workspace / "a.flow", shell.workspace / "a.py"
    file.write_text("# gbrowse flow 1\nmouse down\nclick text=x\n")
    reply = await fails(f"flow-export {file} {out}", ActionFailed)
    assert reply.message == "1 step cannot be written for pytest; nothing was written"
    assert reply.text == "step 1, mouse: no test of Playwright does this"
    assert not out.exists()
    said = await run(f"flow-export {file} {out} --leave-out")
    assert said.splitlines() == [
        f"Wrote {out} for pytest (1 step)",
        "→ left out: step 1, mouse: no test of Playwright does this",
    ]
    assert "# left out step 1, mouse" in out.read_text()
    recording, back = shell.workspace / "a.json", shell.workspace / "b.flow"
    await run(f"flow-export {file} {recording} --to recorder")
    assert await run(f"flow-import {recording} {back}") == f"Wrote {back} (2 steps)"
    assert back.read_text() == file.read_text()


async def test_secret_of_the_vault_becomes_a_variable_of_the_environment(run: Run, shell: Shell) -> None:
    file, out = shell.workspace / "a.flow", shell.workspace / "a.py"
    file.write_text(
        "# gbrowse flow 1\n# secret shop_login\nfill label=Key $shop_login\nfill label=Password --secret=shop-login --submit\n"
        "type --into '#again' --secret shop-login\nfill '#code' --secret otp\n"
    )
    said = await run(f"flow-export {file} {out}")
    assert said.splitlines() == [
        f"Wrote {out} for pytest (4 steps)",
        "→ variable shop_login_2 stands for secret shop-login of the vault",
        "→ variable otp stands for secret otp of the vault",
    ]
    lines = out.read_text().splitlines()
    for line in (
        'SHOP_LOGIN_2_ = os.environ["FLOW_SHOP_LOGIN_2"]',
        'OTP_ = os.environ["FLOW_OTP"]',
        '    page.get_by_label("Password").fill(SHOP_LOGIN_2_)',
        '    page.get_by_label("Password").press("Enter")',
        '    page.locator("#again").press_sequentially(SHOP_LOGIN_2_)',
        '    page.locator("#code").fill(OTP_)',
    ):
        assert line in lines, out.read_text()
    await run(f"flow-export {file} {out} --to playwright-test")
    assert "const OTP_ = process.env.FLOW_OTP ?? '';" in out.read_text()
    await run(f"flow-export {file} {out} --to side --leave-out")
    assert '"${otp}"' in out.read_text()
    await run(f"flow-export {file} {out} --to python")
    assert '"--secret", "otp"' in out.read_text()
