"""Assign the numbers of refs in a tab (@e3, @c1), and remember nodes and what was printed of them.

A node gets its number when a line with it is printed, and no number is reused in the life of a tab. A node is
identified by its document and an ID from the page's engine (dom/node-table.js). Numbers of @c refs, and the IDs of
nodes printed so, are negative.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

LONGEST_NAME = 200
"""How many characters of a name are remembered."""
_REMEMBERED_NUMBERS = 20_000
"""Of documents that the tab has left; those that it shows are remembered, however many they are."""
_REMEMBERED_WORDS = 20_000
_SWEPT_ABOVE = 5_000
_STEP = 100
_REMEMBERED_SOURCES = 8
"""Snapshots of which it is remembered what stood around what was printed."""


class PrintedElement(NamedTuple):
    """How a number was last printed. `last`: the last ID of each document at that time."""

    role: str
    name: str
    last: Mapping[int, int]

    def is_named(self, role: str, name: str) -> bool:
        """Return whether the element was printed with this role and name."""
        return role == self.role and name[:LONGEST_NAME] == self.name

    def is_older_than_node(self, document: int, node: int) -> bool:
        """Return whether the engine first saw `node` after this was printed: then it is another element.

        IDs of nodes count up in each document.
        """
        return abs(node) > self.last.get(document, 0)


class _Printed(NamedTuple):
    """Lines printed together: numbers, roles, names, and each document's last ID at that time."""

    numbers: list[int]
    roles: Sequence[str]
    names: Sequence[str]
    last: Mapping[int, int]
    source: int
    """Which of the remembered snapshots they are of; 0 for none."""


class RefNumberBound:
    """An upper bound of the ref numbers of a context's tabs; after a crash, the next browser begins there.

    It grows in steps of a hundred, so that it is rarely saved. `on_growth` is called each time.
    """

    def __init__(
        self,
        first: tuple[int, int] = (1, 1),
        on_growth: Callable[[], None] = lambda: None,
        owner: Callable[[int], str] = lambda number: "",
    ) -> None:
        """Begin at `first`, the first @e and the first @c number of every tab.

        `owner` names the other tabs, or the other context, that have given a number; "" for none.
        """
        self.owner = owner
        self.first = first
        self.bound = first
        self._following = first
        self._on_growth = on_growth

    def continue_from(self, first: tuple[int, int]) -> None:
        """Begin at the bound of a browser that has crashed (@e, @c), before any number is assigned."""
        self.first = self.bound = self._following = first

    def is_assigned(self, number: int) -> bool:
        """Return whether any tab of the context, perhaps closed, has assigned a ref number."""
        return abs(number) < self._following[0 if number > 0 else 1]

    def raise_above(self, next_e: int, next_c: int) -> None:
        """Note that a tab has assigned all @e and @c numbers below these. Raise the bound if it is lower."""
        following_e, following_c = self._following
        self._following = max(following_e, next_e), max(following_c, next_c)
        bound_e, bound_c = self.bound
        if next_e > bound_e or next_c > bound_c:
            self.bound = (max(bound_e, _round_up(next_e)), max(bound_c, _round_up(next_c)))
            self._on_growth()


def _round_up(number: int) -> int:
    """Return the first of 1, 101, 201 … that is not below `number`."""
    return (number + _STEP - 2) // _STEP * _STEP + 1


def _format_ref(number: int) -> str:
    """Return the ref of a number, which is negative for elements without a role: 3 → `@e3`, -3 → `@c3`."""
    return f"@e{number}" if number > 0 else f"@c{-number}"


class PrintHistory:
    """The lines that were printed last in a tab, and the snapshots that they were in."""

    def __init__(self) -> None:
        self.prints = 0
        """How often something was printed; while it is unchanged, the last print is current."""
        self._printed: deque[_Printed] = deque()
        self._words = 0
        self._sources: dict[int, object] = {}
        self._source = 0

    def add(
        self,
        numbers: list[int],
        roles: Sequence[str],
        names: Sequence[str],
        last: Mapping[int, int],
        source: object,
    ) -> None:
        """Note that these lines were printed together. `numbers`: of their refs.

        `last`: each document's last ID. `source`: the snapshot that contains the lines; None for none.
        """
        if max(map(len, names), default=0) > LONGEST_NAME:
            names = [name[:LONGEST_NAME] for name in names]
        self.prints += 1
        self._printed.append(_Printed(numbers, roles, names, last, self._store_source(source)))
        self._words += len(numbers)
        while self._words > _REMEMBERED_WORDS and len(self._printed) > 1:
            self._words -= len(self._printed.popleft().numbers)

    def latest_prints(self) -> Iterator[Iterator[tuple[int, str, str]]]:
        """Yield for each print, the last one first, an iterator of (ref number, role, name) of its lines."""
        for printed in reversed(self._printed):
            yield zip(printed.numbers, printed.roles, printed.names, strict=True)

    def printed_as(self, number: int) -> PrintedElement | None:
        """Return the role and name with which a ref number was last printed; None if that is long ago."""
        if printed := self._find_last_print(number):
            index = printed.numbers.index(number)
            return PrintedElement(printed.roles[index], printed.names[index], printed.last)
        return None

    def source_of(self, number: int) -> object:
        """Return the snapshot from which a ref number was last printed.

        None if that was long ago, or if the number was printed without a snapshot.
        """
        printed = self._find_last_print(number)
        return self._sources.get(printed.source) if printed else None

    def _find_last_print(self, number: int) -> _Printed | None:
        """Return the lines printed together when a ref number was printed last; None if that is long ago."""
        return next((printed for printed in reversed(self._printed) if number in printed.numbers), None)

    def _store_source(self, source: object) -> int:
        """Store a snapshot and return its key in `_sources`; 0 for None. Only the last few are kept."""
        if source is None:
            return 0
        if self._sources.get(self._source) is not source:
            self._source += 1
            self._sources[self._source] = source
            self._sources.pop(self._source - _REMEMBERED_SOURCES, None)
        return self._source


class RefNumbers:
    """Assigns the ref numbers of a tab (3 of @e3; -3 is @c3), and remembers which node has which.

    A node is identified by its document and its id there.
    """

    def __init__(self, next_e: int = 1, next_c: int = 1, reserve: RefNumberBound | None = None) -> None:
        self._next = {"e": next_e, "c": next_c}
        self._reserve = reserve or RefNumberBound()
        self._reserve.raise_above(next_e, next_c)
        self._documents: dict[int, _DocumentNumbers] = {}
        self.history = PrintHistory()
        self._last: Mapping[int, int] = {}

    @property
    def following(self) -> tuple[int, int]:
        """Return the next @e and @c numbers to be assigned."""
        return self._next["e"], self._next["c"]

    @property
    def documents(self) -> set[int]:
        """Return the documents whose nodes' ref numbers are remembered."""
        return set(self._documents)

    def ref(self, document: int, node: int, role: str, name: str) -> str:
        """Return the ref of a node, assigning a number if needed."""
        return self.refs([document], [node], [role], [name])[0]

    def refs(
        self,
        documents: Sequence[int],
        nodes: Sequence[int],
        roles: Sequence[str],
        names: Sequence[str],
        source: object = None,
    ) -> list[str]:
        """Return the refs of nodes that are printed, such as "@e3". A node without a number gets one.

        "" for node 0, which is text. Roles and names are remembered as printed. `source`: the snapshot that they are of.
        """
        numbers: list[int] = []
        for document, place, stop in _runs(documents):
            assigned = self._documents.setdefault(document, _DocumentNumbers())
            numbers += self._assign_numbers(assigned, nodes[place:stop])
        self._reserve.raise_above(*self.following)
        self.history.add(numbers, roles, names, self._last, source)
        return [_format_ref(number) if number else "" for number in numbers]

    def printed_last(self, most: int) -> list[tuple[str, str, str]]:
        """Return (ref, role, name) of the last printed elements, at most `most`, sorted by number."""
        found: dict[int, tuple[str, str, str]] = {}
        for latest_prints in self.history.latest_prints():
            for number, role, name in latest_prints:
                if number and number not in found and len(found) < most and self.find(number):
                    found[number] = _format_ref(number), role, name
            if len(found) >= most:
                break
        return [found[number] for number in sorted(found, key=abs)]

    def known_number(self, document: int, node: int) -> int:
        """Return a node's ref number; 0 if it has not been printed."""
        return self._numbers_of(document).get(node, 0)

    def known_ref(self, document: int, node: int) -> str:
        """Return a node's ref; "" if it has not been printed. The print history does not change."""
        number = self.known_number(document, node)
        return _format_ref(number) if number else ""

    def printed_id(self, document: int, node: int) -> int:
        """Return a node's ID as it was printed: negative if a snapshot listed the node as @c."""
        return -node if self.known_number(document, -node) else node

    def predict(self, documents: Sequence[int], nodes: Sequence[int]) -> list[int]:
        """Return the ref numbers that nodes have, or would get when printed in this order; 0 for node 0."""
        following = {1: itertools.count(self._next["e"]), -1: itertools.count(-self._next["c"], -1)}
        numbers: list[int] = []
        for document, place, stop in _runs(documents):
            known = list(map(self._numbers_of(document).get, nodes[place:stop], itertools.repeat(0)))
            if not all(known):
                some = zip(known, nodes[place:stop], strict=True)
                known = [
                    number or (next(following[1 if node > 0 else -1]) if node else 0) for number, node in some
                ]
            numbers += known
        return numbers

    def find(self, number: int) -> tuple[int, int] | None:
        """Return (document, node) of a ref number; None if it was forgotten or never assigned."""
        for document, assigned in self._documents.items():
            if node := assigned.node_of.get(number):
                return document, node
        return None

    def is_assigned(self, number: int) -> bool:
        """Return whether this tab has assigned a ref number, on any page."""
        return abs(number) < self._next["e" if number > 0 else "c"]

    def is_from_before_crash(self, number: int) -> bool:
        """Return whether a ref was printed by a browser that has crashed: it is below this context's first.

        `number`: 3 for @e3, -3 for @c3.
        """
        return abs(number) < self._reserve.first[0 if number > 0 else 1]

    def describe_owner(self, number: int) -> str:
        """Return which other tabs or which context have assigned a number, for messages; "" for none."""
        return self._reserve.owner(number)

    def record_last_id(self, document: int, last: int) -> None:
        """Note the last node id that a document's engine has assigned."""
        self._last = {**self._last, document: last}

    def record_shown_documents(self, last_ids: Mapping[int, int]) -> None:
        """Record the documents that the tab shows now. Forget numbers of others beyond _REMEMBERED_NUMBERS.

        `last_ids`: document → the last ID that it has assigned to an element.
        """
        self._last = last_ids
        shown = set(last_ids)
        for document in shown & self._documents.keys():
            self._documents[document] = self._documents.pop(document)  # the last ones are dropped last
        left = [document for document in self._documents if document not in shown]
        remembered = sum(len(self._documents[document].node_of) for document in left)
        for document in left:
            if remembered <= _REMEMBERED_NUMBERS:
                return
            remembered -= len(self._documents.pop(document).node_of)

    def find_stale_candidates(self, document: int) -> list[int]:
        """Return the IDs of a document's nodes with numbers, to ask the page which are gone; [] if too few.

        That is when their number has doubled since the last time.
        """
        assigned = self._documents.get(document)
        if assigned is None or len(assigned.node_of) < 2 * assigned.swept + _SWEPT_ABOVE:
            return []
        assigned.swept = len(assigned.node_of)
        return [abs(node) for node in assigned.node_of.values()]

    def forget(self, document: int, nodes: Iterable[int]) -> None:
        """Forget the numbers of nodes that are gone. How they were printed is still remembered."""
        assigned = self._documents[document]
        for node in nodes:
            for key in (node, -node):
                if number := assigned.number_of.pop(key, 0):
                    del assigned.node_of[number]
        assigned.swept = len(assigned.node_of)

    def _assign_numbers(self, assigned: "_DocumentNumbers", nodes: Sequence[int]) -> list[int]:
        """Return the ref numbers of nodes of one document. A node without one gets one; node 0 (text) has 0."""
        number_of = assigned.number_of
        known = list(map(number_of.get, nodes, itertools.repeat(0)))
        if all(known):
            return known
        return [number_of.get(node) or (self._assign(assigned, node) if node else 0) for node in nodes]

    def _numbers_of(self, document: int) -> Mapping[int, int]:
        """Return node → ref number in a document; empty for an unknown document."""
        assigned = self._documents.get(document)
        return assigned.number_of if assigned else _NONE

    def _assign(self, assigned: "_DocumentNumbers", node: int) -> int:
        """Give a node the next number of its kind, and return that (negative for `@c`)."""
        kind = "e" if node > 0 else "c"
        number = self._next[kind] if node > 0 else -self._next[kind]
        self._next[kind] += 1
        assigned.number_of[node] = number
        assigned.node_of[number] = node
        return number


class _DocumentNumbers:
    """The numbers of one document's nodes, in both directions."""

    __slots__ = ("node_of", "number_of", "swept")

    def __init__(self) -> None:
        self.number_of: dict[int, int] = {}
        self.node_of: dict[int, int] = {}
        self.swept = 0
        """How many there were when the page was last asked which nodes are gone."""


def _runs(documents: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (document, start, stop) for each run of equal documents in the sequence."""
    if documents and documents.count(documents[0]) == len(documents):
        yield documents[0], 0, len(documents)
        return
    place = 0
    for document, same in itertools.groupby(documents):
        stop = place + len(list(same))
        yield document, place, stop
        place = stop


_NONE: Mapping[int, int] = {}
