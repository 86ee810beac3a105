"""What tells equal lines apart where their surroundings are not printed: `@e56 [button] "Delete" (Cherry)`.

Of all that could be said the shortest is: the text of the row or item, the heading above, the named part of the page.
Nothing is said where nothing differs.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence

from gstack_browse.snapshot.sources import LONGEST, Said, Sources, cut
from gstack_browse.snapshot.tree import Tree
from gstack_browse.snapshot.view import View

_SHORT = 24
_ENOUGH = 0.9
"""The first text that differs in so many of the lines is taken; else the one that differs most."""

Key = tuple[str, str, int]


def alike(tree: Tree, view: View) -> dict[int, Key]:
    """The lines that read as another one does: role, name and the shown line that they are in."""
    roles, names = tree.roles, list(map(tree.names.__getitem__, view.lines))
    if len(set(names)) == len(names):
        return {}
    counts = Counter(names)
    keys = {
        line: (roles[line], name, above)
        for line, name, above in zip(view.lines, names, _shown_above(view), strict=True)
        if counts[name] > 1 and roles[line] != "text"
    }
    equal = Counter(keys.values())
    return {line: key for line, key in keys.items() if equal[key] > 1}


def contexts(tree: Tree, groups: Iterable[Sequence[int]], common: Container[int] = ()) -> dict[int, str]:
    """What tells the lines of each group apart, at most LONGEST characters. What is `common` to many items names none."""
    sources = Sources(tree, common)
    told: dict[int, str] = {}
    for group in groups:
        apart = _told_by_months(group, sources) if len(group) > 1 else {group[0]: sources.nearest(group[0])}
        told |= _shortened(apart)
    return {line: text for line, text in told.items() if text}


def _shortened(told: Mapping[int, str]) -> dict[int, str]:
    """The texts, at most LONGEST characters each, cut to what still tells them apart."""
    whole = {line: text.rstrip(":") for line, text in told.items()}
    if max(map(len, whole.values()), default=0) <= _SHORT:
        return whole
    short = {line: cut(text, _SHORT).rstrip(":") for line, text in told.items()}
    return short if len(set(short.values())) == len(set(whole.values())) else whole


def _shown_above(view: View) -> Sequence[int]:
    """For each shown line the shown line that it is in, -1 for none."""
    if not any(view.indents):
        return [-1] * len(view.lines)
    above: list[int] = []
    path: list[int] = []
    for line, indent in zip(view.lines, view.indents, strict=True):
        del path[indent:]
        above.append(path[-1] if path else -1)
        path.append(line)
    return above


def _told_by_months(group: Sequence[int], sources: Sources) -> dict[int, str]:
    """Days of several months by these, and only those of one month by what else differs."""
    months = sources.months(group)
    if len(set(months)) < 2:
        return _told_apart(group, sources.of(group))
    by_month: dict[str, list[int]] = defaultdict(list)
    for line, month in zip(group, months, strict=True):
        by_month[month].append(line)
    told = {line: month for line, month in zip(group, months, strict=True) if month}
    for month, same in by_month.items():
        for line, more in (_told_apart(same, sources.of(same)) if len(same) > 1 else {}).items():
            told[line] = cut(f"{cut(month, LONGEST // 2)}, {more}") if month else more
    return told


def _told_apart(group: Sequence[int], sources: Sequence[Said]) -> dict[int, str]:
    """The text of the source that differs most; lines that still read the same get another's too, and the one of which it says nothing."""
    best: list[str] = []
    most, at = 1, len(sources)
    for index, source in enumerate(sources):
        texts = source(group)
        if (kinds := len(set(texts))) > most:
            best, most, at = texts, kinds, index
        if most >= _ENOUGH * len(group):
            break
    told = {line: text for line, text in zip(group, best, strict=False) if text}
    if not best:
        return told
    others = [*sources[:at], *sources[at + 1 :]]
    for text, same in _alike(group, best).items():
        apart = _told_apart(same, others) if len(same) > 1 else _told_alone(group, same[0], others, best)
        for line, more in apart.items():
            told[line] = cut(f"{cut(text, LONGEST // 2)}, {more}") if text else more
    return told


def _told_alone(
    group: Sequence[int], line: int, sources: Sequence[Said], known: Container[str]
) -> dict[int, str]:
    """What the first source that knows something says of one line of the group and of no other."""
    place = group.index(line)
    for source in sources:
        texts = source(group)
        if texts and (text := texts[place]) and texts.count(text) == 1 and text not in known:
            return {line: text}
    return {}


def _alike(group: Sequence[int], texts: Sequence[str]) -> dict[str, list[int]]:
    """The lines that have the same text, and the one that has none."""
    alike: dict[str, list[int]] = defaultdict(list)
    for line, text in zip(group, texts, strict=True):
        alike[text].append(line)
    return {text: same for text, same in alike.items() if len(same) > 1 or not text}
