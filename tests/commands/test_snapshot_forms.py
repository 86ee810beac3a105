"""Other forms of a snapshot: for programs, and with the addresses of links."""

import json

import pytest

from gstack_browse.errors import UsageError
from tests.commands.conftest import Fails, Run, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<body style="margin:0"><h2>Head</h2><button style="position:absolute;left:10px;top:100px;width:80px;height:20px" disabled>Go, "now"</button>
<input aria-label=Name value=Ann><a href="/a?b=1">Link</a><input type=checkbox checked aria-label=Box><p style="position:absolute;top:9999px">Far</p>"""


async def test_a_snapshot_for_programs(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show(
        f"{PAGE}<iframe src='{web.show(PAGE).replace(web.url, web.other)}' style='position:absolute;left:0;top:300px' width=600></iframe>"
    )
    found = json.loads(await run("snapshot --json"))
    head = next(each for each in found if each["role"] == "heading")
    assert (head["name"], head["states"]) == ("Head", ["level=2"])
    here, there = [each for each in found if each["role"] == "button"]
    assert (here["name"], here["states"], here["box"]) == ('Go, "now"', ["disabled"], [10, 100, 80, 20])
    assert there["box"][1] > 400
    assert there["level"] > here["level"]
    field = next(each for each in found if each["role"] == "textbox")
    assert (field["name"], field["value"]) == ("Name", "Ann")
    assert await run("value", field["ref"]) == "Ann"
    only = json.loads(await run("snapshot --json -i --role checkbox"))
    assert [each["name"] for each in only] == ["Box", "Box"]
    assert set(only[0]) == {"level", "ref", "role", "name", "states", "box"}
    short = json.loads(await run("snapshot --json --max 200"))
    assert short[-1] == {"left_out": len(found) - len(short) + 1}
    assert json.loads(await run("snapshot --json --max 200 --all")) == found
    await fails("snapshot --json -D", UsageError)


async def test_the_addresses_of_links(run: Run, fails: Fails, show: Show) -> None:
    await show(PAGE)
    await run("snapshot -i")
    lines = (await run("snapshot -iu")).splitlines()
    assert [line.split(" ", 1)[1] for line in lines if "[link]" in line] == ['[link] "Link": /a?b=1']
    assert await run("snapshot -D") == "(no changes)"
    await fails("snapshot -u -D", UsageError)
