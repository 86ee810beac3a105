import json

from gstack_browse.browser.auditing.audit import parse_report, render_findings, render_json

Told = dict[str, object]


def check(message: str, contrast: float | None = None, needed: str | None = None) -> Told:
    return {"id": "x", "message": message, "contrast": contrast, "needed": needed}


def rule(id: str, impact: str | None, *elements: Told) -> Told:
    told = {"id": id, "impact": impact, "help": f"The rule {id}", "helpUrl": "https://example.com", "tags": []}
    return told | {"count": len(elements), "elements": list(elements)}


def element(node: int, html: str, *checks: Told, any_of: tuple[Told, ...] = ()) -> Told:
    told: Told = {"where": [0, node], "html": html, "target": ["b"], "impact": "minor"}
    return told | {"checks": list(checks), "anyOf": list(any_of)}


def test_the_worst_come_first_with_what_to_change_and_the_words_or_markup_of_elements() -> None:
    one_way = (check("one way"),)
    violations = [
        rule("two-ways", None, element(2, '<img src="x.png">', any_of=(check("this"), check("that")))),
        rule("contrast", "serious", element(1, "", any_of=(check("low", 3.1, "4.5:1"),))),
        rule(
            "both",
            "critical",
            element(3, '<p class="a>b" id=x>Faint &amp; <b>small</b></p>', check("this"), check("and that")),
            element(2, '<div class="cut off in the midd', any_of=one_way),
            element(2, "no markup \x1b[1m", any_of=one_way),
        ),
    ]
    told = {"violations": violations, "incomplete": [], "passed": 3, "version": "4"}
    report = parse_report(told, {(0, 1): ("@e1", "Buy\x1b[31m now"), (0, 2): ("@e2", "")})
    assert render_findings(report.violations, all=False) == [
        'critical both <p> "Faint & small": this; and that',
        'critical both @e2 <div class="cut off in the midd: one way',
        "critical both @e2 no markup ␛[1m: one way",
        'serious contrast @e1 "Buy␛[31m now": 3.1:1, needs 4.5:1',
        'minor two-ways @e2 <img src="x.png">: The rule two-ways',
    ]
    assert report.summary() == "axe-core found 5 problems: 3 critical, 1 serious, 1 minor"
    assert json.loads(render_json(report))["violations"][0]["elements"][1]["ref"] == "@e2"
