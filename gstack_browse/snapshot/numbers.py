"""The numbers of one tab: which node was printed as @e3. Asks no page, prints nothing.

A node is given its number when a line with it is printed, and no number is given twice in the life of a tab. A node is
known by its document and an id, as the page's engine tells them (engine-table.js). Numbers of @c references, and the ids
of nodes that are printed so, are negative.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

LONGEST_NAME = 200
"""Of a name only so much is remembered."""
_REMEMBERED_NUMBERS = 20_000
"""Of documents that the tab has left; those that it shows are remembered, however many they are."""
_REMEMBERED_WORDS = 20_000
_SWEPT_ABOVE = 5_000
_STEP = 100
_REMEMBERED_SOURCES = 8
"""Snapshots of which it is remembered what stood around what was printed."""


class Words(NamedTuple):
    """What a number was printed with. `last` is the last id of each document then."""

    role: str
    name: str
    last: Mapping[int, int]

    def are_of(self, role: str, name: str) -> bool:
        """Whether something is said in the same words."""
        return role == self.role and name[:LONGEST_NAME] == self.name

    def are_older(self, document: int, node: int) -> bool:
        """Whether a node was met only afterwards: ids count up."""
        return abs(node) > self.last.get(document, 0)


class _Printed(NamedTuple):
    """Lines that were printed together: their numbers, roles and names, and the last id of each document then."""

    numbers: list[int]
    roles: Sequence[str]
    names: Sequence[str]
    last: Mapping[int, int]
    source: int
    """Which of the remembered snapshots they are of; 0 for none."""


class Reserve:
    """A bound above all numbers of a session's tabs. A session that follows a killed one begins at its bound.

    The bound grows in steps of a hundred, so it is written down seldom. `grown` is called each time.
    """

    def __init__(
        self,
        first: tuple[int, int] = (1, 1),
        grown: Callable[[], None] = lambda: None,
        owner: Callable[[int], str] = lambda number: "",
    ) -> None:
        """`first`: the first @e and the first @c number of every tab. `owner` says which other tabs, or which other session, have given a number; "" for none."""
        self.owner = owner
        self.first = first
        self.bound = first
        self._following = first
        self._grown = grown

    def begin_at(self, first: tuple[int, int]) -> None:
        """Go on from an earlier session's numbers, before any has been given."""
        self.first = self.bound = self._following = first

    def was_given(self, number: int) -> bool:
        """Whether a tab has given that number, perhaps one that is closed."""
        return abs(number) < self._following[0 if number > 0 else 1]

    def cover(self, next_e: int, next_c: int) -> None:
        """A tab has given out all numbers below these."""
        following_e, following_c = self._following
        self._following = max(following_e, next_e), max(following_c, next_c)
        bound_e, bound_c = self.bound
        if next_e > bound_e or next_c > bound_c:
            self.bound = (max(bound_e, _rounded(next_e)), max(bound_c, _rounded(next_c)))
            self._grown()


def _rounded(number: int) -> int:
    """The first of 1, 101, 201 … that is not below."""
    return (number + _STEP - 2) // _STEP * _STEP + 1


def _ref(number: int) -> str:
    return f"@e{number}" if number > 0 else f"@c{-number}"


class Numbers:
    """Gives out the numbers of a tab, and remembers whose they are."""

    def __init__(self, next_e: int = 1, next_c: int = 1, reserve: Reserve | None = None) -> None:
        self._next = {"e": next_e, "c": next_c}
        self._reserve = reserve or Reserve()
        self._reserve.cover(next_e, next_c)
        self._documents: dict[int, _Given] = {}
        self._printed: deque[_Printed] = deque()
        self._words = 0
        self._prints = 0
        self._last: Mapping[int, int] = {}
        self._sources: dict[int, object] = {}
        self._source = 0

    @property
    def following(self) -> tuple[int, int]:
        """The next @e and the next @c number: what a successor goes on from."""
        return self._next["e"], self._next["c"]

    @property
    def prints(self) -> int:
        """How often something was printed: what was printed last still holds while this stays the same."""
        return self._prints

    @property
    def documents(self) -> set[int]:
        """Those of which numbers are remembered."""
        return set(self._documents)

    def ref(self, document: int, node: int, role: str, name: str) -> str:
        """What a node is printed as."""
        return self.refs([document], [node], [role], [name])[0]

    def refs(
        self,
        documents: Sequence[int],
        nodes: Sequence[int],
        roles: Sequence[str],
        names: Sequence[str],
        source: object = None,
    ) -> list[str]:
        """What nodes are printed as; "" for the node 0, which is text. With what is remembered of each, and the snapshot that they are printed from."""
        numbers: list[int] = []
        for document, place, stop in _runs(documents):
            given = self._documents.setdefault(document, _Given())
            numbers += self._numbered(given, nodes[place:stop])
        self._reserve.cover(*self.following)
        if max(map(len, names), default=0) > LONGEST_NAME:
            names = [name[:LONGEST_NAME] for name in names]
        self._remember(_Printed(numbers, roles, names, self._last, self._keep(source)))
        return [_ref(number) if number else "" for number in numbers]

    def printed_last(self, most: int) -> list[tuple[str, str, str]]:
        """Ref, role and name of what was printed last, in the order of the numbers; what was forgotten is left out."""
        found: dict[int, tuple[str, str, str]] = {}
        for printed in reversed(self._printed):
            for number, role, name in zip(printed.numbers, printed.roles, printed.names, strict=True):
                if number and number not in found and len(found) < most and self.find(number):
                    found[number] = _ref(number), role, name
            if len(found) >= most:
                break
        return [found[number] for number in sorted(found, key=abs)]

    def known(self, document: int, node: int) -> int:
        """The number that a node has; 0 when it has not been printed."""
        given = self._documents.get(document)
        return given.number_of.get(node, 0) if given else 0

    def known_ref(self, document: int, node: int) -> str:
        """What a node was printed as; "" when it has not been printed. That is not remembered as printed once more."""
        number = self.known(document, node)
        return _ref(number) if number else ""

    def as_printed(self, document: int, node: int) -> int:
        """The id under which a node has a number: the negative one where a snapshot has listed it as @c."""
        return -node if self.known(document, -node) else node

    def foreseen(self, documents: Sequence[int], nodes: Sequence[int]) -> list[int]:
        """The numbers that nodes have, or get when they are printed in this order; 0 for the node 0, which is text."""
        following = {1: itertools.count(self._next["e"]), -1: itertools.count(-self._next["c"], -1)}
        numbers: list[int] = []
        for document, place, stop in _runs(documents):
            known = list(map(self._number_of(document).get, nodes[place:stop], itertools.repeat(0)))
            if not all(known):
                some = zip(known, nodes[place:stop], strict=True)
                known = [
                    number or (next(following[1 if node > 0 else -1]) if node else 0) for number, node in some
                ]
            numbers += known
        return numbers

    def find(self, number: int) -> tuple[int, int] | None:
        """Document and id of the node with that number; None for a number that was forgotten or never given."""
        for document, given in self._documents.items():
            if node := given.node_of.get(number):
                return document, node
        return None

    def was_given(self, number: int) -> bool:
        """Whether a number has been printed in this tab, on whatever page."""
        return abs(number) < self._next["e" if number > 0 else "c"]

    def is_of_earlier_session(self, number: int) -> bool:
        """Whether a number may only have been printed by a session that was killed."""
        return abs(number) < self._reserve.first[0 if number > 0 else 1]

    def owner(self, number: int) -> str:
        """Where else this number has been given, in words: other tabs, or another browser context; "" where nowhere."""
        return self._reserve.owner(number)

    def words_of(self, number: int) -> Words | None:
        """What a number was last printed with; None where that was long ago."""
        for printed in reversed(self._printed):
            if number in printed.numbers:
                index = printed.numbers.index(number)
                return Words(printed.roles[index], printed.names[index], printed.last)
        return None

    def source_of(self, number: int) -> object:
        """The snapshot that a number was last printed from; None where that was long ago, or it was printed by itself."""
        for printed in reversed(self._printed):
            if number in printed.numbers:
                return self._sources.get(printed.source)
        return None

    def met(self, document: int, last: int) -> None:
        """The last id that a document has given to a node."""
        self._last = {**self._last, document: last}

    def shows(self, last: Mapping[int, int]) -> None:
        """The tab shows these documents now, each with its last id. Of others only so much is remembered."""
        self._last = last
        shown = set(last)
        for document in shown & self._documents.keys():
            self._documents[document] = self._documents.pop(document)  # the last ones are dropped last
        left = [document for document in self._documents if document not in shown]
        remembered = sum(len(self._documents[document].node_of) for document in left)
        for document in left:
            if remembered <= _REMEMBERED_NUMBERS:
                return
            remembered -= len(self._documents.pop(document).node_of)

    def suspects(self, document: int) -> list[int]:
        """Ids of the document's nodes that may be gone for good, when there are enough to be worth a question."""
        given = self._documents.get(document)
        if given is None or len(given.node_of) < 2 * given.swept + _SWEPT_ABOVE:
            return []
        given.swept = len(given.node_of)
        return [abs(node) for node in given.node_of.values()]

    def forget(self, document: int, nodes: Iterable[int]) -> None:
        """Nodes of a document are gone for good: nothing but their words is remembered."""
        given = self._documents[document]
        for node in nodes:
            for key in (node, -node):
                if number := given.number_of.pop(key, 0):
                    del given.node_of[number]
        given.swept = len(given.node_of)

    def _numbered(self, given: "_Given", nodes: Sequence[int]) -> list[int]:
        """The numbers of nodes of one document, given to them now where they have none; 0 for the node 0."""
        number_of = given.number_of
        known = list(map(number_of.get, nodes, itertools.repeat(0)))
        if all(known):
            return known
        return [number_of.get(node) or (self._give(given, node) if node else 0) for node in nodes]

    def _number_of(self, document: int) -> Mapping[int, int]:
        given = self._documents.get(document)
        return given.number_of if given else _NONE

    def _give(self, given: "_Given", node: int) -> int:
        kind = "e" if node > 0 else "c"
        number = self._next[kind] if node > 0 else -self._next[kind]
        self._next[kind] += 1
        given.number_of[node] = number
        given.node_of[number] = node
        return number

    def _keep(self, source: object) -> int:
        """Under which number a snapshot is remembered; 0 for none."""
        if source is None:
            return 0
        if self._sources.get(self._source) is not source:
            self._source += 1
            self._sources[self._source] = source
            self._sources.pop(self._source - _REMEMBERED_SOURCES, None)
        return self._source

    def _remember(self, printed: _Printed) -> None:
        self._prints += 1
        self._printed.append(printed)
        self._words += len(printed.numbers)
        while self._words > _REMEMBERED_WORDS and len(self._printed) > 1:
            self._words -= len(self._printed.popleft().numbers)


class _Given:
    """The numbers of one document."""

    __slots__ = ("node_of", "number_of", "swept")

    def __init__(self) -> None:
        self.number_of: dict[int, int] = {}
        self.node_of: dict[int, int] = {}
        self.swept = 0
        """How many there were when the page was last asked which nodes are gone."""


def _runs(documents: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """What follows each other and is of the same document: the document, the first place and the one after the last."""
    if documents and documents.count(documents[0]) == len(documents):
        yield documents[0], 0, len(documents)
        return
    place = 0
    for document, same in itertools.groupby(documents):
        stop = place + len(list(same))
        yield document, place, stop
        place = stop


_NONE: Mapping[int, int] = {}
