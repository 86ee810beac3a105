"""The list of requests: numbers and filters."""

import json
import re

import pytest

from tests.commands.conftest import Run, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<img src=/status/404?picture><script>
fetch('/api?first'); fetch('/api/404?second', {method: 'POST'}); fetch('http://127.0.0.1:1/').catch(() => 0)
</script>"""


async def addresses(run: Run, *words: str) -> list[str]:
    """The path, query or host of each request that `network` lists."""
    lines = (await run("network", *words)).splitlines()
    assert all(re.match(r"#\d+ [A-Z]+ http\S+ → ", line) for line in lines), lines
    return [re.split(r"http://[^/]*/|\?| → ", line)[-2] for line in lines]


async def test_requests_have_numbers_and_can_be_chosen(run: Run, show: Show, web: Web) -> None:
    await show(PAGE)
    await run("wait --networkidle")
    numbers = [int(line.split()[0][1:]) for line in (await run("network")).splitlines()]
    assert numbers == list(range(numbers[0], numbers[0] + 5))
    assert await addresses(run, "--filter", "/api") == ["first", "second"]
    assert await addresses(run, "--filter", "/api/**") == ["second"]
    assert await addresses(run, "--filter", "POST **/api/*") == ["second"]
    assert await addresses(run, "--method", "post") == ["second"]
    assert sorted(await addresses(run, "--status", "4xx")) == ["picture", "second"]
    assert await addresses(run, "--status", "failed") == [""]
    assert await addresses(run, "--type", "img") == ["picture"]
    assert sorted(await addresses(run, "--type", "fetch,xhr")) == ["", "first", "second"]
    assert len(await addresses(run, "--since", f"#{numbers[2]}")) == 2
    told = json.loads(await run("network", "--json", "--method", "POST"))
    assert [(item["method"], item["status"], item["type"], item["bytes"]) for item in told] == [
        ("POST", 404, "fetch", 11)
    ]
    assert await run("network", "--type", "font") == "(no requests)"

    await run("newtab", web.show("<script>fetch('/api?other')</script>"))
    await run("wait --networkidle")
    assert (await run("network --tab 1")).splitlines()[0].startswith(f"#{numbers[0]} "), "a number stays"
    assert min(item["number"] for item in json.loads(await run("network --json"))) > numbers[-1]
