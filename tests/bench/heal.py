"""Measure whether `flows/matching.py` finds the right elements on pages that changed by rule.

bin/bench heal                  the figures: pages that no weight was tuned on
bin/bench heal --tuned          pages that the weights were tuned on
bin/bench heal --wrong          and the pairs that are wrong, or refused though there is an answer

An element and a rule are a pair. Its outcome is `same` (the selector still finds the element, and it is verified), `healed` (another
selector would find it), `refused`, or `wrong`: the run would act on another element, which must never be.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gstack_browse.browser.engine.bundle import engine_source
from gstack_browse.client.script import connect
from gstack_browse.flows import matching
from gstack_browse.flows.identity import Identity, from_engine, parse_note, render_note
from gstack_browse.flows.matching import Outcome
from tests.evals.task import opened
from tests.evals.tasks import named

HERE = Path(__file__).parent
RULES = (
    "ids", "wrapped", "moved", "sorted", "reworded", "duplicated", "roles", "removed", "replaced", "inserted",
    "attributes", "redesigned", "released", "relabelled",
)  # fmt: skip
TUNED = {
    "shop-order": ("/", "/checkout", "/gift-cards"),
    "dashboard-view": ("/",),
    "download-export": ("/", "/reports"),
    "stay-book": ("/", "/folders"),
    "login-session": ("/",),
    "ticket-survey": ("/", "/new", "/hasty"),
}
"""A task on each of the sites that weights were tuned on, and the paths of pages."""
HELD_OUT = {
    "admin-price": ("/admin", "/admin/orders", "/admin/products", "/product/1"),
    "board-move": ("/", "/plan"),
    "dialog-rename": ("/",),
    "editor-write": ("/",),
    "table-sort": ("/", "/parts", "/feed"),
    "frame-settings": ("/", "/card", "/embed/settings", "/rooms"),
    "hunt-clinic": ("/", "/hours"),
    "hunt-library": ("/",),
    "mail-reply": ("/",),
    "voucher-tab": ("/",),
    "wizard-complete": ("/",),
}
"""Pages that no weight has seen: figures are of these."""
SEED = 7
MOST_ELEMENTS = 15
"""Elements of each page, chosen at random with a fixed seed."""
WITHOUT_ANSWER = frozenset({"duplicated"})
"""Rules after which nothing tells the right element from another one: refusing is right."""
FIELDS = ("input", "select", "textarea")
MARKS = ("testid", "id", "field", "href")


@dataclass(frozen=True)
class Judged:
    """A pair, and what would be done. `is_answerable`: there is one right element."""

    rule: str
    page: str
    outcome: str
    is_answerable: bool
    is_found: bool
    """Whether the selector alone finds the right element: where that is not verified it has changed, and healing is none."""
    meant: Identity
    chosen: Identity | None = None

    @property
    def needs_healing(self) -> bool:
        return self.is_answerable and not self.is_found


@contextmanager
def addresses(sites: Mapping[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """Serve the sites; the addresses of all their pages."""
    with ExitStack() as stack:
        found = []
        for task, paths in sites.items():
            case = stack.enter_context(opened(named(task), SEED))
            found += [f"{case.url}{path}" for path in paths]
        yield found


def collect(sites: Mapping[str, tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    """Describe the elements of all pages before and after each rule."""
    with tempfile.TemporaryDirectory() as folder, addresses(sites) as pages:
        script = Path(folder, "collect.js")
        sources = [(HERE / name).read_text() for name in ("heal_mutations.js", "heal_collect.js")]
        script.write_text(";\n".join([engine_source(), *sources, "'ready'"]))
        with connect(workspace=folder) as browse:
            try:
                for page in pages:
                    for rule in RULES:
                        browse("goto", page)
                        browse("wait", "--networkidle")
                        browse("eval", script)
                        told = browse("js", "--max", 90_000_000, f"healCollect('{rule}', {MOST_ELEMENTS})")
                        yield {"page": page, "rule": rule, **json.loads(told)}
            finally:
                browse("stop")


def judge(told: Mapping[str, Any]) -> Iterator[Judged]:
    """Judge the pairs of one page and rule as a run of a flow would."""
    for case in told["cases"]:
        meant = parse_note(render_note(from_engine(case["meant"])))  # what a file keeps of it
        outcome, chosen = _run(meant, case, told["groups"][case["group"]])
        is_answerable = told["rule"] not in WITHOUT_ANSWER and _has_answer(meant, case, told["groups"])
        truths = [each["truth"] for each in case["matches"]]
        is_found = bool(case["truth"]) and truths == [case["truth"]]
        if chosen and not (case["truth"] and chosen["truth"] == case["truth"]):
            outcome = "wrong"
        now = from_engine(chosen) if chosen else None
        yield Judged(told["rule"], told["page"], outcome, is_answerable, is_found, meant, now)


def _has_answer(meant: Identity, case: Mapping[str, Any], groups: Mapping[str, Any]) -> bool:
    """Return whether the right element can be proven by what a flow knows of it.

    It is still there. Its role, name and form are the same, or it has a mark of its own (test id, id, name of the field, address)
    without a digit or a query, which would be a record's or a row's; with another name a mark that says what it does: not a button's id.
    Where it has twins, its surroundings say the same words, or it has such a mark. The mark must be its alone, now and then; and no
    other element may have its name where it has another one.
    """
    now = next((each for each in groups[case["group"]] if each["truth"] == case["truth"]), None)
    if now is None or not case["truth"]:
        return False
    there = [from_engine(each) for each in groups[case["group"]]]
    found = from_engine(now)
    marks = [
        name
        for name in MARKS
        if _mark(meant, name) == _mark(found, name)
        and name not in meant.shared
        and re.fullmatch("[^0-9]+[^0-9?]|[^0-9?]", getattr(meant, name))
        and sum(_mark(each, name) == _mark(meant, name) for each in there) == 1
        and (meant.name == found.name or name in ("testid", "href") or meant.tag in FIELDS)
    ]
    known = meant.role, meant.name, _form(meant)
    is_same = known == (found.role, found.name, _form(found)) and bool(meant.name)
    twins = sum((each.role, each.name) == (meant.role, meant.name) for each in there)
    is_alone = meant.order[1] == 1 and twins == 1
    is_beside_same = bool(meant.near) and sorted(meant.near.split()) == sorted(found.near.split())
    is_named_elsewhere = meant.name != found.name and twins > 0  # labels were exchanged
    return (bool(marks) and not is_named_elsewhere) or (is_same and (is_alone or is_beside_same))


def _mark(identity: Identity, name: str) -> str:
    return str(getattr(identity, name)).removesuffix("?")


def _form(identity: Identity) -> str:
    return next((each for each in identity.within if each.startswith(("form", "dialog", "alertdialog"))), "")


def _run(
    meant: Identity, case: Mapping[str, Any], everywhere: Sequence[Mapping[str, Any]]
) -> tuple[str, Mapping[str, Any] | None]:
    matches = case["matches"]
    selector = case["meant"]["selector"]
    is_anchored = matching.is_anchored_by_words(selector)
    nodes = [each["node"] for each in everywhere]
    places = [nodes.index(each["node"]) if each["node"] in nodes else -1 for each in matches]
    there, anywhere = (list(map(from_engine, each)) for each in (matches, everywhere))
    words = matching.list_row_words(selector)
    meant, is_anchored = matching.adopt_record(meant, there, [], words=words, is_anchored=is_anchored)
    found = matching.decide(meant, there, anywhere, places, is_anchored=is_anchored)
    if found.outcome is Outcome.MATCH:
        return "same", matches[0]
    if found.outcome is Outcome.MOVED:
        return "healed", everywhere[found.candidates[0].index]
    return "refused", None


def render(judged: Sequence[Judged]) -> str:
    """Return the figures as a table: a line for each rule, and one for all."""
    rows = [("rule", "pairs", "same", "healed", "refused", "of one answer", "wrong")]
    for rule in (*RULES, "all"):
        pairs = [each for each in judged if rule in (each.rule, "all")]
        counts = Counter(each.outcome for each in pairs)
        answerable = [each for each in pairs if each.needs_healing and each.outcome != "same"]
        healed = sum(each.outcome == "healed" for each in answerable)
        share = f"{healed}/{len(answerable)} = {healed / len(answerable):.1%}" if answerable else "-"
        numbers = [str(counts[name]) for name in ("same", "healed", "refused")]
        rows.append((rule, str(len(pairs)), *numbers, share, str(counts["wrong"])))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def main(words: Sequence[str]) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        prog="bin/bench heal", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tuned", action="store_true", help="the pages that the weights were tuned on")
    parser.add_argument("--wrong", action="store_true", help="list the pairs that are not as they should be")
    options = parser.parse_args(words)
    collected = collect(TUNED if options.tuned else HELD_OUT)
    judged = [each for told in collected for each in judge(told)]
    for each in judged if options.wrong else ():
        if each.outcome == "wrong" or (each.outcome == "refused" and each.needs_healing):
            chosen = each.chosen and render_note(each.chosen)
            print(each.rule, each.page, each.outcome, render_note(each.meant), "→", chosen)
    print(render(judged))
