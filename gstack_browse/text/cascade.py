"""The rules of style that apply to an element, as an inspector shows them: from Chromium's answer to lines. Pure.

Chromium tells the rules in the order of the cascade, the weakest first. Which declarations win is worked out here
(CSS Cascading and Inheritance, level 5, section 6): importance, then layers and order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from gstack_browse.text.columns import counted
from gstack_browse.text.inherited_properties import INHERITED
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.styles import SHORTHANDS

MOST_DECLARATIONS = 60
"""Of one rule."""
_SELECTOR_CHARACTERS = 160
_VALUE_CHARACTERS = 200
_UNLAYERED = "\0"


class Declaration(NamedTuple):
    """A declaration as it is written, and the longhands that it sets."""

    name: str
    value: str
    is_important: bool
    is_valid: bool
    longhands: frozenset[str]


@dataclass
class StyleRule:
    """A rule with its declarations, which of them take effect, and where it is written."""

    selector: str
    where: str
    origin: str
    layer: str
    declarations: list[Declaration]
    effective: set[int] = field(default_factory=set)
    """Declarations of which at least one longhand wins."""

    def lines(self, names: frozenset[str]) -> Iterator[str]:
        """The rule and a line for each declaration; with `names` those that set one of them."""
        shown = [
            (index, item) for index, item in enumerate(self.declarations) if not names or _sets(item, names)
        ]
        if not shown:
            return
        yield f"{self.selector}  ({self.where})" if self.where else self.selector
        for index, item in shown[:MOST_DECLARATIONS]:
            mark = "" if index in self.effective else "  (overridden)" if item.is_valid else "  (invalid)"
            important = " !important" if item.is_important else ""
            yield f"  {item.name}: {one_line(item.value, _VALUE_CHARACTERS)}{important}{mark}"
        if len(shown) > MOST_DECLARATIONS:
            yield f"  … {counted(len(shown) - MOST_DECLARATIONS, 'more declaration')}"


def as_lines(
    told: Mapping[str, Any],
    sheets: Mapping[str, Mapping[str, Any]],
    around: Sequence[str],
    page_url: str,
    names: Sequence[str],
    *,
    all: bool,
) -> list[str]:
    """The element's own rules, what it inherits of those `around` it, and its pseudo-elements, the strongest first.

    `names`: only declarations that set one of these properties. Without `all` the browser's own rules are left out.
    """
    wanted = frozenset(names)
    own = _rules(told, sheets, page_url)
    won = _decide(own, frozenset())
    found = list(_section("", own, wanted, all=all))
    for number, above in enumerate(told.get("inherited", [])):
        rules = [_inheritable(rule) for rule in _rules(above, sheets, page_url)]
        won |= _decide(rules, won)
        name = one_line(around[number], 100) if number < len(around) else f"{number + 1} levels up"
        found += _section(f"Inherited from {name}:", rules, wanted, all=all)
    for pseudo in told.get("pseudoElements", []):
        rules = _rules({"matchedCSSRules": pseudo["matches"]}, sheets, page_url)
        _decide(rules, frozenset())
        name = pseudo["pseudoType"] + (
            f"({pseudo['pseudoIdentifier']})" if pseudo.get("pseudoIdentifier") else ""
        )
        found += _section(f"::{one_line(name, 100)}:", rules, wanted, all=all)
    return found


def _section(heading: str, rules: Sequence[StyleRule], names: frozenset[str], *, all: bool) -> Iterator[str]:
    """The rules that have something to show, the strongest first, under a heading."""
    shown = [rule for rule in reversed(rules) if all or rule.origin != "user-agent"]
    lines = [line for rule in shown for line in rule.lines(names)]
    if lines and heading:
        yield heading
    yield from lines


def _inheritable(rule: StyleRule) -> StyleRule:
    """The rule of an ancestor with what elements inherit of it."""
    rule.declarations = [
        item
        for item in rule.declarations
        if any(name.startswith("--") or name in INHERITED for name in item.longhands)
    ]
    return rule


def _sets(item: Declaration, names: frozenset[str]) -> bool:
    return item.name in names or bool(item.longhands & names)


def _decide(rules: Sequence[StyleRule], taken: frozenset[str]) -> frozenset[str]:
    """Mark the declarations that win; `taken` are longhands that are set already. Returns the longhands that are set now."""
    layers = list(dict.fromkeys(rule.layer for rule in rules if rule.layer != _UNLAYERED))
    best: dict[str, tuple[tuple[int, ...], int, int]] = {}
    for place, rule in enumerate(rules):
        for index, item in enumerate(rule.declarations):
            if not item.is_valid:
                continue
            rank = _rank(rule, item, layers, place, index)
            for name in item.longhands - taken:
                if name not in best or rank >= best[name][0]:
                    best[name] = rank, place, index
    for _, place, index in best.values():
        rules[place].effective.add(index)
    return frozenset(best)


def _rank(rule: StyleRule, item: Declaration, layers: Sequence[str], place: int, index: int) -> tuple[int, ...]:
    """The strength of a declaration. Among important ones origins and layers are in the opposite order."""
    if not item.is_important:
        return 0, place, index
    is_browsers = rule.origin == "user-agent"
    is_attribute = rule.origin == "inline"
    layer = len(layers) - layers.index(rule.layer) if rule.layer in layers else 0
    return 1, is_browsers, is_attribute, layer, place, index


def _rules(told: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]], page_url: str) -> list[StyleRule]:
    """The rules of one element, the weakest first."""
    matches = [_rule(match, sheets, page_url) for match in told.get("matchedCSSRules", [])]
    hints = [_attribute_rule("attributes", told.get("attributesStyle"), "hint")]
    inline = [_attribute_rule("element.style", told.get("inlineStyle"), "inline")]
    firsts = [rule for rule in matches if rule.origin == "user-agent"]
    rest = [rule for rule in matches if rule.origin != "user-agent"]
    return [rule for rule in (*firsts, *hints, *rest, *inline) if rule and rule.declarations]


def _attribute_rule(name: str, style: Mapping[str, Any] | None, origin: str) -> StyleRule | None:
    return StyleRule(name, "", origin, _UNLAYERED, _declarations(style)) if style else None


def _rule(match: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]], page_url: str) -> StyleRule:
    rule = match["rule"]
    selectors = rule["selectorList"]["selectors"]
    text = rule["selectorList"]["text"]
    if len(text) > _SELECTOR_CHARACTERS or rule.get("nestingSelectors"):
        text = ", ".join(selectors[index]["text"] for index in match["matchingSelectors"]) or text
    parts = [_place(rule, sheets, page_url), *_conditions(rule)]
    nesting = " ".join(rule.get("nestingSelectors", [])[::-1])
    selector = one_line(f"{nesting} {text}".strip(), _SELECTOR_CHARACTERS)
    layers = ".".join(layer["text"] for layer in rule.get("layers", [])[::-1])
    return StyleRule(
        selector,
        ", ".join(filter(None, parts)),
        rule["origin"],
        layers or _UNLAYERED,
        _declarations(rule["style"]),
    )


def _place(rule: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]], page_url: str) -> str:
    """Address and line of a rule; of the page's own site the path."""
    if rule["origin"] == "user-agent":
        return "the browser's own"
    sheet = sheets.get(rule.get("styleSheetId", ""), {})
    at = rule["selectorList"]["selectors"][0].get("range") or rule["style"].get("range")
    line = at["startLine"] + int(sheet.get("startLine", 0)) + 1 if at else 0
    url = str(sheet.get("sourceURL", ""))
    if not url:
        return "made by a script" if rule["origin"] == "regular" else rule["origin"]
    shown = one_line(_shortened(url, page_url), 120)
    return f"{shown}:{line}" if line else shown


def _shortened(url: str, page_url: str) -> str:
    try:
        own, page = urlsplit(url), urlsplit(page_url)
    except ValueError:
        return url
    if (own.scheme, own.netloc) != (page.scheme, page.netloc) or not own.path:
        return url
    return own.path + (f"?{own.query}" if own.query else "")


def _conditions(rule: Mapping[str, Any]) -> Iterator[str]:
    for kind, items in (
        ("@media", rule.get("media", [])),
        ("@supports", rule.get("supports", [])),
        ("@container", rule.get("containerQueries", [])),
        ("@scope", rule.get("scopes", [])),
        ("@layer", rule.get("layers", [])),
    ):
        for item in items:
            if item.get("source", "mediaRule") in ("mediaRule", "importRule"):
                yield f"{kind} {one_line(item['text'], 100)}"


def _declarations(style: Mapping[str, Any]) -> list[Declaration]:
    """What is written in a rule and not switched off. Chromium tells what follows from that behind it, and of what scripts and attributes say only that."""
    every = [item for item in style["cssProperties"] if not item.get("disabled")]
    if written := [item for item in every if "range" in item]:
        return [_declaration(item, _longhands(item)) for item in written]
    short = {item["name"]: item for item in style.get("shorthandEntries", []) if item["value"]}
    found: dict[str, Declaration] = {}
    for item in every:
        whole = next(
            (name for name, parts in SHORTHANDS.items() if name in short and item["name"] in parts), ""
        )
        parts = found[whole].longhands if whole in found else frozenset()
        found[whole or item["name"]] = _declaration(short.get(whole, item), parts | _longhands(item))
    return list(found.values())


def _declaration(item: Mapping[str, Any], longhands: frozenset[str]) -> Declaration:
    return Declaration(
        one_line(item["name"], 100),
        item["value"].removesuffix("!important").rstrip(),
        bool(item.get("important")),
        item.get("parsedOk", True) is not False,
        longhands,
    )


def _longhands(item: Mapping[str, Any]) -> frozenset[str]:
    """The properties that a declaration sets: those of a shorthand, else itself."""
    parts: Iterable[Mapping[str, Any]] = item.get("longhandProperties", [])
    return frozenset(part["name"] for part in parts) or frozenset({item["name"]})
