import json

from gstack_browse.browser.auditing.audit import parse_report, render_findings, render_json


def check(message: str, contrast: float | None = None, needed: str | None = None) -> dict[str, object]:
    return {"id": "x", "message": message, "contrast": contrast, "needed": needed}


def rule(id: str, impact: str | None, *elements: dict[str, object], count: int = 0) -> dict[str, object]:
    told = {"id": id, "impact": impact, "help": f"The rule {id}", "helpUrl": "https://example.com", "tags": []}
    return told | {"count": count or len(elements), "elements": list(elements)}


Told = dict[str, object]


def element(node: int, *checks: Told, any_of: tuple[Told, ...] = ()) -> Told:
    told: Told = {"where": [0, node], "html": f"<b>{node}</b>", "target": ["b"], "impact": "minor"}
    return told | {"checks": list(checks), "anyOf": list(any_of)}


NAMED = {(0, 1): ("@e1", "Buy\x1b[31m now"), (0, 2): ("@e2", "")}
BOTH = element(3, check("this"), check("and that")), element(2, any_of=(check("one way"),))
VIOLATIONS = [
    rule("two-ways", None, element(2, any_of=(check("this"), check("that")))),
    rule("contrast", "serious", element(1, any_of=(check("low", 3.1, "4.5:1"),))),
    rule("both", "critical", *BOTH),
]
TOLD = {"violations": VIOLATIONS, "incomplete": [], "passed": 3, "version": "4"}


def test_the_worst_come_first_and_each_says_what_to_change() -> None:
    report = parse_report(TOLD, NAMED)
    assert render_findings(report.violations, all=False) == [
        'critical both <b> "3": this; and that',
        'critical both @e2 <b> "2": one way',
        'serious contrast @e1 "Buy␛[31m now": 3.1:1, needs 4.5:1',
        'minor two-ways @e2 <b> "2": The rule two-ways',
    ]
    assert report.summary() == "axe-core found 4 problems: 2 critical, 1 serious, 1 minor"
    assert json.loads(render_json(report))["violations"][0]["elements"][1]["ref"] == "@e2"


def test_an_element_without_a_name_is_shown_by_its_words_or_its_markup() -> None:
    def shown(html: str) -> str:
        told = {**TOLD, "violations": [rule("x", "minor", {**element(2), "html": html})]}
        (line,) = render_findings(parse_report(told, NAMED).violations, all=False)
        return line.removeprefix("minor x @e2 ").removesuffix(": The rule x")

    assert shown('<p class="a>b" id=x>Faint &amp; <b>small</b> text</p>') == '<p> "Faint & small text"'
    assert shown('<img src="x.png">') == '<img src="x.png">'
    assert shown('<div class="cut off in the midd') == '<div class="cut off in the midd'
    assert shown("no markup \x1b[1m") == "no markup ␛[1m"
