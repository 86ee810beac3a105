"""Which declarations win, where a page would have to be odd to show it."""

from typing import Any

from gstack_browse.browser.auditing.matched_rules import render_styles


def style(*declarations: str) -> dict[str, Any]:
    """Declarations as Chromium tells them."""
    written = []
    for text in declarations:
        name, _, value = text.partition(": ")
        value, important, _ = value.partition(" !important")
        written.append({"name": name, "value": value, "important": bool(important), "range": {}})
    return {"cssProperties": written}


def match(selector: str, *declarations: str, origin: str = "regular", layer: str = "") -> dict[str, Any]:
    rule = {
        "selectorList": {"selectors": [{"text": selector}], "text": selector},
        "origin": origin,
        "style": style(*declarations),
        "layers": [{"text": layer}] if layer else [],
    }
    return {"rule": rule, "matchingSelectors": [0]}


def lines(*matches: dict[str, Any], **told: Any) -> list[str]:
    return render_styles({"matchedCSSRules": list(matches), **told}, {}, [], "http://a/", [], all=True)


def test_important_declarations_win_in_the_order_of_origins_and_layers() -> None:
    told = lines(
        match("ua", "color: red !important", origin="user-agent"),
        match("page", "color: blue !important"),
        inlineStyle=style("color: green !important"),
    )
    assert [line for line in told if line.startswith("  ")] == [
        "  color: green !important  (overridden)",
        "  color: blue !important  (overridden)",
        "  color: red !important",
    ]
    told = lines(
        match("early", "color: red !important", layer="a"),
        match("late", "color: blue !important", layer="b"),
        match("none", "color: green !important"),
    )
    assert [line for line in told if line.startswith("  ")][2] == "  color: red !important"


def test_hostile_endless_and_scripted_rules_are_shown_in_short() -> None:
    told = lines(match("a\x1b[2J", "--x: \x1b[31m\n  y"))
    assert told == ["a␛[2J  (made by a script)", "  --x: ␛[31m y"]
    told = lines(match("a", *(f"--x{number}: 1" for number in range(100))))
    assert told[-1] == "  … 40 more declarations"
    sides = [{"name": f"margin-{side}", "value": "0px"} for side in ("top", "right", "bottom", "left")]
    style = {
        "cssProperties": [*sides, {"name": "color", "value": "red"}],
        "shorthandEntries": [{"name": "margin", "value": "0px"}],
    }
    told = lines(
        {**match(".made"), "rule": {**match(".made")["rule"], "style": style}},
        inlineStyle={**style, "shorthandEntries": []},
    )
    assert told == [
        "element.style",
        *(f"  margin-{side}: 0px" for side in ("top", "right", "bottom", "left")),
        "  color: red",
        ".made  (made by a script)",
        "  margin: 0px  (overridden)",
        "  color: red  (overridden)",
    ]
