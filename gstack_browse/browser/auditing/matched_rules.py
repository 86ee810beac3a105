"""Fetch the style rules that apply to an element, like an inspector. Evaluate the cascade."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from gstack_browse.browser import dialogs
from gstack_browse.browser.actions.locate.find import Element, locate_first
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.messages import evaluate, send
from gstack_browse.browser.reading import page_scripts
from gstack_browse.browser.reading.read import SHORTHANDS
from gstack_browse.errors import StaleRef
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

INHERITED = frozenset(
    [
        "border-collapse",
        "border-spacing",
        "caption-side",
        "caret-color",
        "clip-rule",
        "color",
        "color-interpolation",
        "color-interpolation-filters",
        "color-scheme",
        "cursor",
        "direction",
        "dominant-baseline",
        "dynamic-range-limit",
        "empty-cells",
        "fill",
        "fill-opacity",
        "fill-rule",
        "font-family",
        "font-feature-settings",
        "font-kerning",
        "font-optical-sizing",
        "font-palette",
        "font-size",
        "font-size-adjust",
        "font-stretch",
        "font-style",
        "font-synthesis-small-caps",
        "font-synthesis-style",
        "font-synthesis-weight",
        "font-variant-alternates",
        "font-variant-caps",
        "font-variant-east-asian",
        "font-variant-emoji",
        "font-variant-ligatures",
        "font-variant-numeric",
        "font-variant-position",
        "font-variation-settings",
        "font-weight",
        "font-width",
        "forced-color-adjust",
        "hyphenate-character",
        "hyphenate-limit-chars",
        "hyphens",
        "image-orientation",
        "image-rendering",
        "interactivity",
        "interpolate-size",
        "letter-spacing",
        "line-break",
        "line-height",
        "list-style-image",
        "list-style-position",
        "list-style-type",
        "marker-end",
        "marker-mid",
        "marker-start",
        "orphans",
        "overflow-wrap",
        "paint-order",
        "pointer-events",
        "quotes",
        "ruby-align",
        "ruby-overhang",
        "ruby-position",
        "scrollbar-color",
        "shape-rendering",
        "speak",
        "stroke",
        "stroke-dasharray",
        "stroke-dashoffset",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-miterlimit",
        "stroke-opacity",
        "stroke-width",
        "tab-size",
        "text-align",
        "text-align-last",
        "text-anchor",
        "text-autospace",
        "text-box-edge",
        "text-combine-upright",
        "text-decoration-skip-ink",
        "text-emphasis-color",
        "text-emphasis-position",
        "text-emphasis-style",
        "text-indent",
        "text-orientation",
        "text-rendering",
        "text-shadow",
        "text-size-adjust",
        "text-spacing-trim",
        "text-transform",
        "text-underline-offset",
        "text-underline-position",
        "text-wrap-mode",
        "text-wrap-style",
        "user-select",
        "visibility",
        "white-space-collapse",
        "widows",
        "word-break",
        "word-spacing",
        "writing-mode",
        "-webkit-border-horizontal-spacing",
        "-webkit-border-vertical-spacing",
        "-webkit-font-smoothing",
        "-webkit-line-break",
        "-webkit-locale",
        "-webkit-print-color-adjust",
        "-webkit-rtl-ordering",
        "-webkit-tap-highlight-color",
        "-webkit-text-decorations-in-effect",
        "-webkit-text-fill-color",
        "-webkit-text-orientation",
        "-webkit-text-security",
        "-webkit-text-stroke-color",
        "-webkit-text-stroke-width",
        "-webkit-user-modify",
    ]
)
"""Inherited longhands; custom properties (`--*`) are inherited, too."""


MOST_DECLARATIONS = 60
"""Limit of declarations shown of one rule."""
_SELECTOR_CHARACTERS = 160
_VALUE_CHARACTERS = 200
_UNLAYERED = "\0"


class Declaration(NamedTuple):
    """A declaration as written, and the longhands that it sets."""

    name: str
    value: str
    is_important: bool
    is_valid: bool
    longhands: frozenset[str]


@dataclass
class StyleRule:
    """A rule with its declarations, the indexes of those that take effect, and its location."""

    selector: str
    where: str
    origin: str
    layer: str
    declarations: list[Declaration]
    effective: set[int] = field(default_factory=set)
    """Indexes of the declarations of which at least one longhand wins."""

    def render(self, names: frozenset[str]) -> Iterator[str]:
        """Yield the selector, then a line for each declaration.

        `names`: show only declarations that set one of these properties; empty for all. Yields nothing if none is left.
        """
        shown = [
            (index, item) for index, item in enumerate(self.declarations) if not names or _sets_any(item, names)
        ]
        if not shown:
            return
        yield f"{self.selector}  ({self.where})" if self.where else self.selector
        for index, item in shown[:MOST_DECLARATIONS]:
            mark = "" if index in self.effective else "  (overridden)" if item.is_valid else "  (invalid)"
            important = " !important" if item.is_important else ""
            yield f"  {item.name}: {one_line(item.value, _VALUE_CHARACTERS)}{important}{mark}"
        if len(shown) > MOST_DECLARATIONS:
            yield f"  … {format_count(len(shown) - MOST_DECLARATIONS, 'more declaration')}"


def render_styles(
    styles: Mapping[str, Any],
    sheets: Mapping[str, Mapping[str, Any]],
    around: Sequence[str],
    page_url: str,
    names: Sequence[str],
    *,
    all: bool,
) -> list[str]:
    """Render an element's rules, the strongest first: its own, inherited ones, those of pseudo-elements.

    Args:
        styles: the result of CSS.getMatchedStylesForNode.
        sheets: headers of style sheets by their ID.
        around: names of the ancestors, the nearest first.
        page_url: style sheets of the same origin are shown by their path alone.
        names: if given, only declarations that set one of these properties.
        all: whether to include the browser's own rules.
    """
    wanted = frozenset(names)
    own = _parse_rules(styles, sheets, page_url)
    won = _mark_winners(own, frozenset())
    found = list(_render_section("", own, wanted, all=all))
    for number, above in enumerate(styles.get("inherited", [])):
        rules = [_keep_inherited(rule) for rule in _parse_rules(above, sheets, page_url)]
        won |= _mark_winners(rules, won)
        name = one_line(around[number], 100) if number < len(around) else f"{number + 1} levels up"
        found += _render_section(f"Inherited from {name}:", rules, wanted, all=all)
    for pseudo in styles.get("pseudoElements", []):
        rules = _parse_rules({"matchedCSSRules": pseudo["matches"]}, sheets, page_url)
        _mark_winners(rules, frozenset())
        name = pseudo["pseudoType"] + (
            f"({pseudo['pseudoIdentifier']})" if pseudo.get("pseudoIdentifier") else ""
        )
        found += _render_section(f"::{one_line(name, 100)}:", rules, wanted, all=all)
    return found


def _render_section(
    heading: str, rules: Sequence[StyleRule], names: frozenset[str], *, all: bool
) -> Iterator[str]:
    """Yield a heading and its rules' lines, the strongest first; nothing if no rule has a line to show.

    `rules`: the weakest first. `names`: as in `StyleRule.render`. `all`: whether to include the browser's own rules.
    """
    shown = [rule for rule in reversed(rules) if all or rule.origin != "user-agent"]
    lines = [line for rule in shown for line in rule.render(names)]
    if lines and heading:
        yield heading
    yield from lines


def _keep_inherited(rule: StyleRule) -> StyleRule:
    """Remove from an ancestor's rule the declarations that children do not inherit. Return the rule."""
    rule.declarations = [
        item
        for item in rule.declarations
        if any(name.startswith("--") or name in INHERITED for name in item.longhands)
    ]
    return rule


def _sets_any(item: Declaration, names: frozenset[str]) -> bool:
    """Return whether a declaration sets one of the CSS properties `names`, itself or by a shorthand."""
    return item.name in names or bool(item.longhands & names)


def _mark_winners(rules: Sequence[StyleRule], taken: frozenset[str]) -> frozenset[str]:
    """Mark in each rule the declarations that take effect. Return the longhand properties that these set.

    `rules`: of one element, the weakest first. `taken`: longhands that the rules of elements nearer to the shown one have set.
    """
    layers = list(dict.fromkeys(rule.layer for rule in rules if rule.layer != _UNLAYERED))
    best: dict[str, tuple[tuple[int, ...], int, int]] = {}
    for place, rule in enumerate(rules):
        for index, item in enumerate(rule.declarations):
            if not item.is_valid:
                continue
            rank = _cascade_rank(rule, item, layers, place, index)
            for name in item.longhands - taken:
                if name not in best or rank >= best[name][0]:
                    best[name] = rank, place, index
    for _, place, index in best.values():
        rules[place].effective.add(index)
    return frozenset(best)


def _cascade_rank(
    rule: StyleRule, item: Declaration, layers: Sequence[str], place: int, index: int
) -> tuple[int, ...]:
    """Return how strong a declaration is in the cascade, as a tuple to compare by; the greatest wins.

    Args:
        layers: names of the cascade layers, the weakest first
        place: index of the rule among the element's rules, the weakest first
        index: index of the declaration in its rule
    """
    if not item.is_important:
        return 0, place, index  # the rules are in cascade order already
    # Among important declarations, origins and layers count in reverse order (CSS Cascading 5, section 6.1).
    is_browsers = rule.origin == "user-agent"
    is_attribute = rule.origin == "inline"
    layer = len(layers) - layers.index(rule.layer) if rule.layer in layers else 0
    return 1, is_browsers, is_attribute, layer, place, index


def _parse_rules(
    styles: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]], page_url: str
) -> list[StyleRule]:
    """Return an element's rules that have declarations, the weakest first.

    `styles`: the result of CSS.getMatchedStylesForNode, or its part about an ancestor or pseudo-element. `sheets`: headers by id.
    """
    matches = [_parse_rule(match, sheets, page_url) for match in styles.get("matchedCSSRules", [])]
    hints = [_attribute_rule("attributes", styles.get("attributesStyle"), "hint")]
    inline = [_attribute_rule("element.style", styles.get("inlineStyle"), "inline")]
    firsts = [rule for rule in matches if rule.origin == "user-agent"]
    rest = [rule for rule in matches if rule.origin != "user-agent"]
    return [rule for rule in (*firsts, *hints, *rest, *inline) if rule and rule.declarations]


def _attribute_rule(name: str, style: Mapping[str, Any] | None, origin: str) -> StyleRule | None:
    """Return the declarations of an attribute such as `style` as a rule; None without a `style`.

    Args:
        name: what is shown in place of a selector
        style: the protocol's `CSSStyle`
        origin: "hint" (attributes such as `width`) or "inline" (`style`)
    """
    return StyleRule(name, "", origin, _UNLAYERED, _parse_declarations(style)) if style else None


def _parse_rule(match: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]], page_url: str) -> StyleRule:
    """Parse a `RuleMatch` of the protocol. `sheets`: headers of style sheets by id.

    Of a long selector list, only the selectors that match the element are kept.
    """
    rule = match["rule"]
    selectors = rule["selectorList"]["selectors"]
    text = rule["selectorList"]["text"]
    if len(text) > _SELECTOR_CHARACTERS or rule.get("nestingSelectors"):
        text = ", ".join(selectors[index]["text"] for index in match["matchingSelectors"]) or text
    parts = [_rule_location(rule, sheets, page_url), *_list_at_rules(rule)]
    nesting = " ".join(rule.get("nestingSelectors", [])[::-1])
    selector = one_line(f"{nesting} {text}".strip(), _SELECTOR_CHARACTERS)
    layers = ".".join(layer["text"] for layer in rule.get("layers", [])[::-1])
    return StyleRule(
        selector,
        ", ".join(filter(None, parts)),
        rule["origin"],
        layers or _UNLAYERED,
        _parse_declarations(rule["style"]),
    )


def _rule_location(rule: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]], page_url: str) -> str:
    """Return a rule's URL and line (`/main.css:12` on the page's own origin); without a URL, who made it.

    `sheets`: headers of style sheets by id.
    """
    if rule["origin"] == "user-agent":
        return "the browser's own"
    sheet = sheets.get(rule.get("styleSheetId", ""), {})
    at = rule["selectorList"]["selectors"][0].get("range") or rule["style"].get("range")
    line = at["startLine"] + int(sheet.get("startLine", 0)) + 1 if at else 0
    url = str(sheet.get("sourceURL", ""))
    if not url:
        return "made by a script" if rule["origin"] == "regular" else rule["origin"]
    shown = one_line(_shorten_url(url, page_url), 120)
    return f"{shown}:{line}" if line else shown


def _shorten_url(url: str, page_url: str) -> str:
    """Return a URL's path and query if the page has the same origin, else the whole URL."""
    try:
        own, page = urlsplit(url), urlsplit(page_url)
    except ValueError:
        return url
    if (own.scheme, own.netloc) != (page.scheme, page.netloc) or not own.path:
        return url
    return own.path + (f"?{own.query}" if own.query else "")


def _list_at_rules(rule: Mapping[str, Any]) -> Iterator[str]:
    """Yield the at-rules that contain a rule, such as `@media (width > 600px)`."""
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


def _parse_declarations(style: Mapping[str, Any]) -> list[Declaration]:
    """Return the declarations of a `CSSStyle` of the protocol as they are written, without disabled ones.

    Chromium lists computed longhands after the written ones; for scripts and attributes it lists only those, so they are
    joined into shorthands here.
    """
    every = [item for item in style["cssProperties"] if not item.get("disabled")]
    if written := [item for item in every if "range" in item]:
        return [_parse_declaration(item, _longhands_of(item)) for item in written]
    shorthands = {item["name"]: item for item in style.get("shorthandEntries", []) if item["value"]}
    found: dict[str, Declaration] = {}
    for item in every:
        shorthand = next(
            (name for name, parts in SHORTHANDS.items() if name in shorthands and item["name"] in parts), ""
        )
        longhands = _longhands_of(item)
        if shorthand in found:
            longhands |= found[shorthand].longhands
        found[shorthand or item["name"]] = _parse_declaration(shorthands.get(shorthand, item), longhands)
    return list(found.values())


def _parse_declaration(item: Mapping[str, Any], longhands: frozenset[str]) -> Declaration:
    """Parse a `CSSProperty` of the protocol. `longhands`: the properties that it sets."""
    return Declaration(
        one_line(item["name"], 100),
        item["value"].removesuffix("!important").rstrip(),
        bool(item.get("important")),
        item.get("parsedOk", True) is not False,
        longhands,
    )


def _longhands_of(item: Mapping[str, Any]) -> frozenset[str]:
    """Return the properties that a `CSSProperty` (of CDP) sets: the longhands of a shorthand, else itself."""
    parts: Iterable[Mapping[str, Any]] = item.get("longhandProperties", [])
    return frozenset(part["name"] for part in parts) or frozenset({item["name"]})


def find_unexpanded(styles: Any) -> Iterator[dict[str, Any]]:
    """Yield the shorthand declarations in `styles` whose longhands Chromium does not list.

    `styles`: the result of CSS.getMatchedStylesForNode, or a part of it.
    """
    if isinstance(styles, list):
        for item in styles:
            yield from find_unexpanded(item)
    elif isinstance(styles, dict):
        if "cssProperties" in styles:
            yield from _find_unexpanded_in(styles["cssProperties"])
        else:
            for item in styles.values():
                yield from find_unexpanded(item)


def add_longhands(declarations: Sequence[dict[str, Any]], known: Mapping[str, Sequence[str]]) -> None:
    """Add to each declaration the properties that it sets. `known`: longhands by the shorthand's name."""
    for item in declarations:
        if found := known.get(item["name"]):
            item["longhandProperties"] = [{"name": name, "value": ""} for name in found]


def _find_unexpanded_in(declarations: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the declarations whose longhands Chromium does not list: the page must be asked for them."""
    computed = {item["name"] for item in declarations if "range" not in item} - {
        "all"
    }  # listed after the written ones
    for item in declarations:
        is_known = item.get("longhandProperties") or item["name"] in computed or item["name"].startswith("--")
        if "range" in item and not is_known and item.get("parsedOk", True) is not False:
            yield item


_GROUP = f"{ENGINE_NAME}-rules"
_MOST_ANCESTORS = 1_000


class MatchedRules(NamedTuple):
    """The protocol's answer, style sheets by id, and names of the element's ancestors."""

    answer: dict[str, Any]
    sheets: dict[str, dict[str, Any]]
    ancestors: list[str]


async def find_matched_rules(page: PageCommand, target: str) -> MatchedRules:
    """Return the CSS rules that apply to the first element of `target`.

    Raises NoMatch, StaleRef or UnknownRef for a target that is not there.
    """
    element = await locate_first(page, target)
    backend_node = await _backend_node_id(page, element)
    context = await page.world.frames.context_of(element.frame)
    ancestors = await page_scripts.call_script(
        context, "listAncestors", {"node": element.node, "most": _MOST_ANCESTORS}
    )
    async with _style_session(page, context.target) as (session, sheets):
        found = await session.send("DOM.pushNodesByBackendIdsToFrontend", {"backendNodeIds": [backend_node]})
        answer = await session.send("CSS.getMatchedStylesForNode", {"nodeId": found["nodeIds"][0]})
        unexpanded = list(find_unexpanded(answer))
        if names := sorted({item["name"] for item in unexpanded}):
            known = await page_scripts.call_script(context, "listLonghands", names)
            add_longhands(unexpanded, known)
        return MatchedRules(answer, sheets, ancestors)


async def _backend_node_id(page: PageCommand, element: Element) -> int:
    """Return Chromium's id (`backendNodeId`) of an element. Raises StaleRef if it was removed."""
    context = await page.world.frames.context_of(element.frame)
    node = await evaluate(context, f"__gbrowse.nodeFor({element.node})", group=_GROUP)
    if "objectId" not in node:
        raise StaleRef(f"{element.target} disappeared", "Run 'snapshot -i' to see what is there")
    described = await send(context, "DOM.describeNode", objectId=node["objectId"])
    await send(context, "Runtime.releaseObjectGroup", objectGroup=_GROUP)
    return int(described["node"]["backendNodeId"])


@asynccontextmanager
async def _style_session(
    page: PageCommand, target: Target
) -> AsyncIterator[tuple[Session, dict[str, dict[str, Any]]]]:
    """Open a CDP session that reports styles; close it afterwards. Yield it, and style sheet id → header.

    While it is open, Chromium reports every change of the page's DOM and styles, which slows the page down.
    """
    session = await dialogs.open_further_session(page.context.running, target)
    sheets: dict[str, dict[str, Any]] = {}

    def add(event: dict[str, Any]) -> None:
        sheets[event["header"]["styleSheetId"]] = event["header"]

    try:
        session.on("CSS.styleSheetAdded", add)
        await session.send("DOM.enable")
        await session.send("DOM.getDocument", {"depth": 0})
        await session.send("CSS.enable")
        yield session, sheets
    finally:
        session.leave()
