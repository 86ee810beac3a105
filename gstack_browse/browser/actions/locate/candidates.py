"""Take targets apart, and suggest elements, by refs, for a target that matches none or several.

Targets are taken apart as far as more than one document is needed to resolve them. The rest of a selector is parsed and resolved in
the page: `engine/scripts/selectors/syntax.js` and `selectors.js`.
"""

import re
from collections.abc import Sequence
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.answer_types import Candidate, MatchedElement
from gstack_browse.browser.engine.refs import parse_ref
from gstack_browse.errors import UsageError
from gstack_browse.text.pattern import fold_label
from gstack_browse.text.sanitise import element_name, one_line

MOST = 6
MOST_SIMILAR = 3
MOST_BESIDE = 50
"""Limit of fields found by nearby text, the same as of elements that a selector matches."""
LIKE = 0.6
"""Least similarity of a suggestion to the target, from 0 to 1 (equal)."""


async def suggest_similar(page: PageCommand, target: str) -> str:
    """Return a hint that names the elements of the current frame with names most like the target's words."""
    found = _select_similar(target, await page.world.call("findCandidates", frame=page.frame))
    if not found:
        return failures.SEE_ELEMENTS
    named = ", ".join(line.strip() for line in await list_elements(page, found))
    return f"Similar: {named}. {failures.SEE_ELEMENTS}"


class FieldBesideText(MatchedElement):
    """A field with a text beside it that is not its label."""

    beside: bool


async def find_fields_beside_text(page: PageCommand, selector: str) -> list[MatchedElement]:
    """Return unlabelled fields next to the text that a `label=` selector names, in the current frame.

    For `label=Email` that is the field that a snapshot prints as `[textbox] (near "Email:")`. Returns [] for other selectors.
    """
    label = parse_label(selector)
    wanted = fold_label(label["label"]) if label else ""
    if not label or not wanted or (tree := await page.tab.refs.read_tree()) is None:
        return []
    from gstack_browse.snapshot.disambiguation.nearby_text import find_nearby_texts  # no part of a start

    texts = find_nearby_texts(tree, range(len(tree)))[0]
    lines = [line for line, text in texts.items() if fold_label(text) == wanted]
    if not (lines or label["exact"]):
        lines = [line for line, text in texts.items() if wanted in text.casefold()]
    found: list[MatchedElement] = []
    for line in lines[:MOST_BESIDE]:
        resolved = await page.tab.refs.resolve(tree.ref(line))
        if resolved.frame == page.frame:
            found.append(
                FieldBesideText(
                    id=resolved.node_id,
                    text=f"[{tree.roles[line]}]",
                    visible=True,
                    usable=True,
                    beside=True,
                )
            )
    return found


async def list_matches(page: PageCommand, frame: Frame, found: list[MatchedElement]) -> str:
    """Return a hint that lists the first MOST elements that a selector matches, each with its ref."""
    count = "others" if len(found) >= 50 else f"{len(found) - MOST} more"
    more = [f"  … and {count}"] if len(found) > MOST else []
    lines = await _disambiguate_lines(page, await list_elements(page, found[:MOST], frame))
    return "\n".join(["Use a ref, or a selector for one of them:", *lines, *more])


async def _disambiguate_lines(page: PageCommand, lines: list[str]) -> list[str]:
    """Append to lines that differ only in their refs what tells them apart in a snapshot.

    That is section, column or row. `lines`: from `list_elements`. Tags, ids and classes are not compared: they say little to a
    reader.
    """
    texts = [line.split(maxsplit=1)[-1].partition(">")[2] for line in lines]
    alike = [place for place, text in enumerate(texts) if texts.count(text) > 1]
    if not alike or (tree := await page.tab.refs.read_tree()) is None:
        return lines
    from gstack_browse.snapshot.disambiguation.labels import Labels  # no part of a start
    from gstack_browse.snapshot.filters import select
    from gstack_browse.snapshot.tree import Options, View

    refs = {tree.line_of(parse_ref(lines[place].split(maxsplit=1)[0])): place for place in alike}
    group = sorted(line for line in refs if line >= 0)
    for line, label in (
        Labels(tree, select(tree, Options(interactive=True))).labels_for(View(group, [0] * len(group))).items()
    ):
        lines[refs[line]] += label
    return lines


async def list_elements(
    page: PageCommand, found: Sequence[MatchedElement | Candidate], frame: Frame | None = None
) -> list[str]:
    """Return a line for each element found in a frame (None: the current): `@e1 <button#save> "Save"`.

    A line has ref, name, and the element's place on the page if that is known.
    """
    try:
        refs = await page.tab.refs.refs_of(frame or page.frame, [item["id"] for item in found])
    except ProtocolError as error:
        raise failures.translate(error) from None
    return [
        "  "
        + " ".join(filter(None, [ref, element_name(item["text"]), one_line(str(item.get("place", "")), 100)]))
        for ref, item in zip(refs, found, strict=True)
    ]


def _select_similar(target: str, found: list[Candidate]) -> list[Candidate]:
    """Return at most MOST_SIMILAR of the candidates, those with names most like the target's words first."""
    wanted = _extract_words(target).casefold()[:80]
    scored: dict[str, tuple[float, Candidate]] = {}
    for item in found:
        words = [item["name"], *item["words"]]
        best = max((_similarity(wanted, word.casefold()) for word in words if word), default=0.0)
        if best >= LIKE and item["text"] not in scored:
            scored[item["text"]] = best + (0.05 if item["operable"] else 0), item
    ranked = sorted(scored.values(), key=lambda pair: -pair[0])
    return [item for _, item in ranked[:MOST_SIMILAR]]


def _extract_words(target: str) -> str:
    """Return the words in a selector, to compare them with elements' names.

    `role=button[name="Save all"]` → `Save all`, `input[name=q]` → `q`, `text=Save` → `Save`, `#save` → `save`.
    """
    named = re.search(r"""["']([^"']{2,})["']|\[\s*name\s*\W?=\s*([^\]"'/]+)\]""", target)
    return (named[1] or named[2]) if named else target.split("=", 1)[-1].strip("#.[] ")


def _similarity(first: str, second: str) -> float:
    """Return the similarity of two texts, 0 to 1; 0.9 if one (3 characters or more) contains the other."""
    if len(first) >= 3 and (first in second or (len(second) >= 3 and second in first)):
        return 0.9
    import difflib  # no part of a start

    return difflib.SequenceMatcher(None, first, second).ratio()


BY_WORDS = ("label=", "placeholder=", "alt=", "title=")
"""Ways to name what a person can see or hear."""
_REFUSALS = {
    "Not a selector: ": "Targets are CSS selectors, text=…, role=… or refs (@e3)",
    "There are no words in ": "Is a variable of the shell empty?",
}
"""How the page's errors about a selector begin, each with a hint."""
_CHAINED = re.compile(r"""\A"[^"]*"\s*>>|\A'[^']*'\s*>>|\A[^"'].*>>""", re.DOTALL)
"""Words of a label behind which another part of a selector follows."""


def split_target(target: str) -> tuple[str, str]:
    """Split a target `@e1 >> selector` into (ref, selector); either is "" if the target lacks it."""
    if not target.startswith("@"):
        return "", target
    ref, _, inner = target.partition(">>")
    return ref.strip(), inner.strip()


def parse_label(selector: str) -> dict[str, Any] | None:
    """Parse a selector that is only `label=…`. Return {"label": its text, "exact": whether it was quoted}.

    None for any other selector.
    """
    words = selector.strip().removeprefix("label=").strip()
    if not selector.strip().startswith("label=") or not words or _CHAINED.match(words):
        return None
    exact = len(words) > 1 and words[0] == words[-1] and words[0] in "\"'"
    text = words[1:-1] if exact else words
    return {"label": text, "exact": exact} if text else None


def parse_refusal(message: str) -> UsageError | None:
    """Return a UsageError if the engine's error message says that a selector is malformed, else None."""
    for beginning, hint in _REFUSALS.items():
        if message.startswith(beginning):
            return UsageError(message, hint)
    return None
