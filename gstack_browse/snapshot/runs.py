"""Shorten what repeats in a snapshot. Pure.

A run of lines that read the same, or count on, is one line. The same control of many items stands behind each item.

    @c172–@c193 22× [generic] (.border white)
    @e46 [button] "1 May 2027"; 2: @e47, 3: @e48, 4: @e49, 5: @e50, 6: @e51
    @c12 [row] "run-1 failed" [selectable]; @e9 [checkbox]

The refs of equal lines follow each other in the order of the page. Of lines that count on each number has its ref, so that
nobody has to count; of those that are gone, in a comparison, nobody needs it.
"""

import re
from collections.abc import Iterable, Sequence

from gstack_browse.snapshot.fold import FEWEST_ITEMS
from gstack_browse.snapshot.items import FIELDS

_LINE = re.compile(
    r"(?P<lead>[-+ ]? *)@(?P<kind>[ec])(?P<number>\d+) (?P<role>\[[^\]]+\])(?P<rest>.*)", re.DOTALL
)
_NUMBER = re.compile(r"\d+")


_NAME = re.compile(r' "(?:[^"\\]|\\.)*"')


def join_runs(lines: Iterable[str]) -> list[str]:
    """Join each run of at least six equal or counting lines, and put lone controls behind their items."""
    return _join_equal(_put_controls_behind(list(lines)))


def _put_controls_behind(lines: list[str]) -> list[str]:
    """Move an item's only control to the item's line, where six or more such items follow each other.

    `@c12 [row] "run-1"` and below it `@e9 [checkbox] "Select"` → `@c12 [row] "run-1"; @e9 [checkbox]`. The first item, and each
    whose control has another name than the one before, keeps its two lines.
    """
    matches = [_LINE.fullmatch(line) for line in lines]
    joined: list[str] = []
    place = 0
    while place < len(lines):
        stop = place
        while _holds_one(matches, stop) and _is_alike(matches[place], matches[stop]):
            stop += 2
        if stop - place < 2 * FEWEST_ITEMS:
            joined.append(lines[place])
            place += 1
            continue
        name = ""
        for item in range(place, stop, 2):
            control = matches[item + 1]
            assert control
            named = _NAME.match(control["rest"])
            if named and named[0] == name:
                states = control["rest"][named.end() :]
                joined.append(f"{lines[item]}; @{control['kind']}{control['number']} {control['role']}{states}")
            else:
                joined += lines[item : item + 2]
                name = named[0] if named else ""
        place = stop
    return joined


def _holds_one(matches: Sequence[re.Match[str] | None], place: int) -> bool:
    """Return whether the line at `place` is a named item that contains the next line and nothing else."""
    item, control, after = (*matches[place : place + 3], None, None, None)[:3]
    if not item or not control or not _NAME.match(item["rest"]) or "; " in control["rest"]:
        return False
    inside = len(item["lead"]) + 2
    is_only = place + 2 >= len(matches) or (after is not None and len(after["lead"]) < inside)
    return (
        len(control["lead"]) == inside and item["lead"][:1].strip() == control["lead"][:1].strip() and is_only
    )


def _is_alike(first: re.Match[str] | None, item: re.Match[str] | None) -> bool:
    """Return whether two items have the same lead and role."""
    return bool(first and item and (first["lead"], first["role"]) == (item["lead"], item["role"]))


def _join_equal(lines: Iterable[str]) -> list[str]:
    """Join lines that differ in a number only, where they follow each other."""
    joined: list[str] = []
    run: list[str] = []
    matches: list[re.Match[str]] = []
    for line in lines:
        match = _LINE.fullmatch(line)
        if match and matches and _continues(matches, match):
            run.append(line)
            matches.append(match)
            continue
        joined += _render_run(run, matches)
        run, matches = [line], [match] if match else []
    return joined + _render_run(run, matches)


def is_next_number(one: str, other: str) -> bool:
    """Return whether `other` is `one` with a number that is one higher: `Page 1`, `Page 2`."""
    return one != other and _step(one, other) is not None


def _continues(matches: list[re.Match[str]], match: re.Match[str]) -> bool:
    """Return whether a line belongs to the run of similar lines before it."""
    before = matches[-1]
    if match["role"][1:-1] in FIELDS:
        return False  # each is filled in by itself
    if any(match[part] != before[part] for part in ("lead", "kind", "role")):
        return False
    if int(match["number"]) != int(before["number"]) + 1:
        return False
    step = _step(before["rest"], match["rest"])
    return step is not None and (len(matches) == 1 or step == _step(matches[-2]["rest"], before["rest"]))


def _step(one: str, other: str) -> int | None:
    """Return the index of the only number that differs, if it is one higher.

    `Day 1 of 9`, `Day 2 of 9` → 0. -1 for equal texts, None for any others.
    """
    if one == other:
        return -1
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return None
    pairs = list(zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True))
    unlike = [place for place, (left, right) in enumerate(pairs) if left != right]
    if len(unlike) != 1 or len(pairs[unlike[0]][0]) > 9:
        return None
    left, right = pairs[unlike[0]]
    return unlike[0] if int(right) == int(left) + 1 else None


def _render_run(run: list[str], matches: list[re.Match[str]]) -> list[str]:
    """Return the lines of a run as one: with the other numbers, or with first and last ref.

    Short runs stay as they are.
    """
    if len(matches) < FEWEST_ITEMS:
        return run
    first, last = matches[0], matches[-1]
    place = _step(first["rest"], matches[1]["rest"])
    assert place is not None
    if place >= 0 and first["lead"][:1] != "-":
        others = (
            f"{_NUMBER.findall(match['rest'])[place]}: @{match['kind']}{match['number']}"
            for match in matches[1:]
        )
        return [f"{run[0]}; {', '.join(others)}"]
    refs = f"@{first['kind']}{first['number']}–@{last['kind']}{last['number']}"
    text = first["rest"] if place < 0 else f"{first['rest']} …{last['rest']}"
    return [f"{first['lead']}{refs} {len(matches)}× {first['role']}{text}"]
