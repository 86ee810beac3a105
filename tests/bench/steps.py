"""Define the steps of all tools: a command each, with what a right answer contains. Pure."""

import json
from dataclasses import dataclass

ROWS = (100, 1_000, 3_000, 10_000)
DOWNLOAD_BYTES = 100_000_000
COOKIES = 1_000
ELEMENTS = ("go", "name")
OPTIONS = ("Germany", "France")
FIELDS = tuple(f"f{number}" for number in range(20))
"""Ids of the fields that are filled in one call."""


@dataclass(frozen=True)
class Step:
    """An action on the page at `path`.

    `answer`: what a right answer contains. `effect`: JavaScript that is true in the page when it was done.
    """

    name: str
    action: str
    path: str
    expression: str = ""
    answer: str = ""
    effect: str = ""

    @property
    def is_large(self) -> bool:
        return self.path.startswith("/table-")


def _visit(path: str) -> Step:
    return Step(f"goto {path}", "goto", path, effect=f"location.pathname === '{path}'")


def _table(rows: int) -> tuple[Step, Step]:
    path = f"/table-{rows}"
    return _visit(path), Step(f"snapshot -i, {rows:,} rows", "snapshot", path, answer=f"Sell {rows - 1}")


_CLICKED = "(body => { const was = body.dataset.clicked; delete body.dataset.clicked; return was === 'yes' })(document.body)"
_FILLED = "[...document.querySelectorAll('input')].every(field => field.value === 'Ada{round}')"
STEPS = (
    _visit("/form"),
    Step("url", "url", "/form", answer="/form"),
    Step("js 1+1", "js", "/form", expression="1+1", answer="2"),
    Step("is visible", "is", "/form", answer="true"),
    Step("expect, a text", "expect", "/form"),
    Step("attrs", "attrs", "/form", answer="go"),
    Step("snapshot -i, form", "snapshot", "/form", answer="Continue"),
    Step("click", "click", "/form", effect=_CLICKED),
    Step("fill", "fill", "/form", effect="document.getElementById('name').value === 'Ada {round}'"),
    Step("select", "select", "/form", effect="document.getElementById('country').value === '{option}'"),
    Step("hover", "hover", "/form", effect="document.body.dataset.hovered === '{element}'"),
    Step(
        "drag",
        "drag",
        "/drag",
        effect="document.getElementById('{element}').contains(document.getElementById('card'))",
    ),
    Step("screenshot, form", "screenshot", "/form"),
    _visit("/fields"),
    Step("fill-form, 20 fields", "fields", "/fields", effect=_FILLED),
    _visit("/news"),
    Step("text, news", "text", "/news", answer="Story number 30"),
    Step("snapshot -i, news", "snapshot", "/news", answer="Story number 30"),
    Step("screenshot, news", "screenshot", "/news"),
    _visit("/frames-50"),
    Step("snapshot -i, 50 frames", "snapshot", "/frames-50", answer="Send"),
    Step("download, 100 MB", "download", "/download"),
    *(step for rows in ROWS for step in _table(rows)),
    Step("state-load, 1,000 cookies", "state-load", "/form"),
    Step("state-save, 1,000 cookies", "state-save", "/form"),
)

BATCH = ("js", "fill", "click", "select")
"""What 100 commands are, in turn: everyone has these."""


def state_file() -> str:
    """A storage state of so many cookies, of twenty hosts, as all tools read it."""
    rest = {"path": "/", "expires": -1, "httpOnly": False, "secure": False, "sameSite": "Lax"}
    cookies = [
        {"name": f"c{number}", "value": f"{number:040}", "domain": f"h{number % 20}.example", **rest}
        for number in range(COOKIES)
    ]
    return json.dumps({"cookies": cookies, "origins": []})


def values(step: Step, base: str, turn: int) -> dict[str, str]:
    """Return the values for the templates of a tool's words in one round.

    Other elements and values in the next.
    """
    return {
        "url": base + step.path,
        "expression": step.expression or "1+1",
        "round": str(turn),
        "fields": json.dumps({f"#{name}": f"Ada{turn}" for name in FIELDS}),
        "element": ELEMENTS[turn % 2],
        "option": OPTIONS[turn % 2],
    }


def effect(step: Step, filled: dict[str, str]) -> str:
    """The JavaScript that asks the page whether the step was done."""
    expression = step.effect
    for name in ("round", "element", "option"):
        expression = expression.replace(f"{{{name}}}", filled[name])
    return expression
