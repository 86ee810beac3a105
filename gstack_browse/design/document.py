"""Render a page's design as DESIGN.md, and read the workspace's DESIGN.md to constrain new designs."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from gstack_browse.design.facts import Colour, ComponentLook, DesignFacts
from gstack_browse.design.tokens import count_distances, find_main_styles, name_colors, relative_line_height
from gstack_browse.errors import FileFailed, Refused
from gstack_browse.text.units import format_count
from gstack_browse.workspace.directory import find_workspace
from gstack_browse.workspace.files import open_to_read

MARK = "Extracted by gbrowse design-extract"
"""How a generated file begins: such a file may be overwritten."""
TOKENS_FILE = "design.tokens.json"
DOCUMENT_FILE = "DESIGN.md"
MOST_ROWS = 12
MOST_PAIRS = 8
MOST_SIZES = 20
MOST_CHARACTERS = 160
MOST_LOOKS = 4
_UNITS = (8.0, 4.0, 5.0, 2.0)
_ON_SCALE = 0.8
"""The share of distances that must be multiples of a unit for it to be named."""


def render_document(facts: DesignFacts, address: str, date: str) -> str:
    """Render the facts of a page's design as DESIGN.md.

    `address` names the page and must contain nothing that the page could have chosen; `date` is shown as it is.
    """
    cut = "; the page is enormous, and only a part of it was read" if facts.is_cut else ""
    parts = [
        f"<!-- {MARK} from {address}, {date}: what the page shows. Reasons and rules are for you to add. -->",
        "# Design",
        f"Seen on {address} on {date}: {format_count(facts.read, 'element')} in {format_count(facts.documents, 'document')}{cut}. The same as tokens: `{TOKENS_FILE}`.",
    ]
    sections = {
        "Colours": _render_colours,
        "Contrast": _render_contrast,
        "Type": _render_typography,
        "Spacing": _render_spacing,
        "Shape": _render_shape,
        "Components": _render_components,
    }
    for title, render in sections.items():
        if paragraphs := render(facts):
            parts += [f"## {title}", *paragraphs]
    return "\n\n".join(parts) + "\n"


def render_summary(facts: DesignFacts) -> str:
    """Render the facts of a page's design in a few lines, for the reply of `design-extract`."""
    named = name_colors(facts)
    colours = ", ".join(
        f"{name} {colour.hex}"
        for name, (_, colour) in named.items()
        if "-" not in name or name == "action-text"
    )
    families = list(
        dict.fromkeys(kind.families[0] for (_, kind), _ in facts.type.most_common() if kind.families)
    )
    sizes = sorted({kind.size for (_, kind) in facts.type})
    weak = sum(pair.is_weak for pair in facts.pairs)
    lines = [
        f"Colours: {len(named)} ({colours})" if named else "Colours: none",
        f"Type: {', '.join(families[:4]) or 'none'}; {format_count(len(sizes), 'size')} ({_join_numbers(sizes)} px)"
        if sizes
        else "Type: none",
        f"Spacing: {_describe_unit(facts)}",
        f"Components: {_count_components(facts) or 'none'}",
    ]
    if weak:
        lines.append(f"Contrast: {weak} of {len(facts.pairs)} pairs of colours are below WCAG AA")
    return "\n".join(lines)


def _render_table(head: str, rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table as a list of one paragraph; [] without rows. `head`: titles joined by `|`."""
    written = [f"| {' | '.join(row)} |" for row in rows]
    columns = head.count("|") + 1
    return ["\n".join((f"| {head} |", "|" + "---|" * columns, *written))] if written else []


def _render_colours(facts: DesignFacts) -> list[str]:
    """Render a table of the page's colours with token and number of uses, and the most common gradients."""
    properties = {colour: f"`{name}`" for colour, name in facts.names.items()}
    rows = [
        (f"`{name}`", f"`{colour.hex}`", f"{facts.uses[role, colour]:,}", properties.get(colour, ""))
        for name, (role, colour) in name_colors(facts).items()
    ]
    gradients = [f"- `{_shorten(words)}` ({count:,} ×)" for words, count in facts.gradients.most_common(4)]
    return _render_table("token | colour | elements | custom property", rows) + (
        ["Gradients:", "\n".join(gradients)] if gradients else []
    )


def _render_contrast(facts: DesignFacts) -> list[str]:
    """Render a table of text and background colours below WCAG 2 AA, the weakest contrast first."""
    weak = sorted((pair for pair in facts.pairs if pair.is_weak), key=lambda pair: pair.ratio)
    if not weak:
        return ["All words stand out from what is behind them as WCAG 2 AA asks."] if facts.pairs else []
    rows = []
    for pair in weak[:MOST_PAIRS]:
        ratio = int(pair.ratio * 10) / 10  # cut off, not rounded up to what would be enough
        size = f"{pair.size:g} px, {pair.weight}"
        rows.append((f"`{pair.ink.hex}`", f"`{pair.ground.hex}`", f"{ratio:g}", size))
    return ["Below what WCAG 2 AA asks for:", *_render_table("words | on | ratio | size", rows)]


def _render_typography(facts: DesignFacts) -> list[str]:
    """Render a table with the main text style of each level (h1, body …), and a list of all font sizes."""
    rows = []
    for level, kind in find_main_styles(facts).items():
        families, line = ", ".join(kind.families[:3]), f"{relative_line_height(kind):g}"
        rows.append((level, families, f"{kind.size:g} px", str(kind.weight), line))
    return _render_table("level | family | size | weight | line", rows) + _render_sizes(facts)


def _render_sizes(facts: DesignFacts) -> list[str]:
    """Render a line with each font size and its number of characters, which shows sizes used by mistake."""
    characters: Counter[float] = Counter()
    for (_, kind), count in facts.type.items():
        characters[kind.size] += count
    if not characters:
        return []
    sizes = [
        f"{size:g} px ({format_count(characters[size], 'character')})"
        for size in sorted(characters)[:MOST_SIZES]
    ]
    ways = len({(kind.size, kind.weight) for (_, kind) in facts.type})
    return [f"Sizes: {', '.join(sizes)}; {format_count(ways, 'combination')} of size and weight."]


def _render_spacing(facts: DesignFacts) -> list[str]:
    """Render the unit of distances, a table of the most common ones, and those that occur only once."""
    counts = count_distances(facts)
    if not counts:
        return []
    most = sorted(counts, key=lambda pixels: -counts[pixels])[:MOST_ROWS]
    rows = [
        (f"{pixels:g} px", *(f"{facts.spacing[of, pixels] or ''}" for of in ("padding", "margin", "gap")))
        for pixels in sorted(most)
    ]
    rare = sorted(pixels for pixels, count in counts.items() if count == 1)
    drift = [f"Only once each: {_join_numbers(rare[:20])} px."] if rare else []
    return [f"{_describe_unit(facts)}.", *_render_table("distance | padding | margin | gap", rows), *drift]


def _describe_unit(facts: DesignFacts) -> str:
    """Return which unit most distances are multiples of: "90 % of 40 distances are multiples of 8 px"."""
    counts = count_distances(facts)
    whole = counts.total()
    if not whole:
        return "none"
    for unit in _UNITS:
        share = sum(count for pixels, count in counts.items() if pixels % unit == 0) / whole
        if share >= _ON_SCALE:
            return f"{round(share * 100)} % of {whole:,} distances are multiples of {unit:g} px"
    return f"no common unit among {len(counts)} distances"


def _render_shape(facts: DesignFacts) -> list[str]:
    """Render a list of corner radii, line widths and shadows, the most common first."""
    lines = [
        ("Corners", [f"{words} ({count:,} ×)" for words, count in facts.radii.most_common(8)]),
        ("Lines", [f"{pixels:g} px ({count:,} ×)" for pixels, count in facts.lines.most_common(6)]),
        ("Shadows", [f"`{_shorten(words)}` ({count:,} ×)" for words, count in facts.shadows.most_common(6)]),
    ]
    found = [f"- {title}: {', '.join(items)}" for title, items in lines if items]
    return ["\n".join(found)] if found else []


def _render_components(facts: DesignFacts) -> list[str]:
    """Render a table of the looks (styles) of each kind of component, the most common first."""
    rows = []
    for kind in _list_component_kinds(facts):
        looks = [(look, count) for (of, look), count in facts.components.most_common() if of == kind]
        rows += [(kind, f"{count:,}", _describe_look(look)) for look, count in looks[:MOST_LOOKS]]
        if len(looks) > MOST_LOOKS:
            rows.append((kind, "", f"… {len(looks) - MOST_LOOKS} more looks"))
    return _render_table("component | seen | look", rows)


def _list_component_kinds(facts: DesignFacts) -> list[str]:
    """Return the kinds of components on the page (button, input …), the most common first."""
    return list(dict.fromkeys(kind for (kind, _), _ in facts.components.most_common()))


def _describe_look(look: ComponentLook) -> str:
    """Return a component's look as text: colours, border, corners, padding, height, font, shadow."""
    parts = [
        look.color and f"{look.color.hex} on {look.background.hex}"
        if look.background
        else look.color and look.color.hex,
        look.border and f"line {look.border}",
        look.radius and f"corners {look.radius}",
        look.padding and f"padding {look.padding}",
        look.height and f"{look.height} px high",
        look.font,
        look.shadow and f"shadow {_shorten(look.shadow)}",
    ]
    return ", ".join(str(part) for part in parts if part)


def _count_components(facts: DesignFacts) -> str:
    """Return the numbers of components by kind as text: `12 button (3 looks), 4 input`."""
    parts = []
    for kind in _list_component_kinds(facts):
        counts = [count for (of, _), count in facts.components.items() if of == kind]
        looks = f" ({len(counts)} looks)" if len(counts) > 1 else ""
        parts.append(f"{sum(counts):,} {kind}{looks}")
    return ", ".join(parts)


def _shorten(words: str) -> str:
    """Cut a CSS value at MOST_CHARACTERS, with an ellipsis."""
    return words if len(words) <= MOST_CHARACTERS else words[:MOST_CHARACTERS] + "…"


def _join_numbers(numbers: Sequence[float]) -> str:
    """Return numbers as text, joined by commas, without superfluous zeros."""
    return ", ".join(f"{number:g}" for number in numbers)


MOST_RULES = 12_000
"""What a brief can take along besides its own words; the rest of a longer document is left out."""
_HEX = re.compile(r"#([0-9A-Fa-f]{6})\b")


class DesignRules(NamedTuple):
    """The text of the workspace's DESIGN.md, to constrain new designs; "" without one."""

    text: str = ""
    is_cut: bool = False
    problem: str = ""
    """Why the document was left out, if it is there."""

    def add_to_brief(self, brief: str) -> str:
        """Return a picture's brief with the text of DESIGN.md as a constraint; unchanged without one."""
        if not self.text:
            return brief
        return f"{brief}\n\nKeep to this design system, also where the words above leave it open:\n{self.text}"

    @property
    def colours(self) -> list[Colour]:
        """Return the colours that DESIGN.md names in hexadecimal (`#1a2b3c`)."""
        found = dict.fromkeys(word.lower() for word in _HEX.findall(self.text))
        return [Colour(*bytes.fromhex(word)) for word in found]

    @property
    def note(self) -> str:
        """Return a line for replies: that DESIGN.md was a constraint, or why it was left out; "" without one."""
        if self.problem:
            return f"→ {DOCUMENT_FILE} was left out: {self.problem}"
        cut = f", its first {MOST_RULES:,} characters" if self.is_cut else ""
        return f"→ held to {DOCUMENT_FILE}{cut}" if self.text else ""


def read_rules(cwd: str) -> DesignRules:
    """Read DESIGN.md in the root of the workspace that contains the directory `cwd`. Blocks.

    Symbolic links are not followed, as with all files that the workspace brings along.
    """
    path = Path(find_workspace(cwd), DOCUMENT_FILE)
    try:
        with open_to_read(str(path)) as file:
            content = file.read(4 * MOST_RULES + 1)
    except FileFailed:
        return DesignRules()
    except Refused as error:
        return DesignRules(problem=error.message)
    text = content.decode(errors="replace").strip()
    return DesignRules(text[:MOST_RULES], len(text) > MOST_RULES)
