"""Compare the record (row, item, card) that a ref was printed in with the one that stands there now."""

from gstack_browse.browser.engine.answers import PrintedRecord
from gstack_browse.errors import StaleRef
from gstack_browse.snapshot.numbers import Numbers
from gstack_browse.snapshot.records import Lists, find_other
from gstack_browse.snapshot.tree import Tree
from gstack_browse.snapshot.walked import Kept
from gstack_browse.text.sanitise import quote_text

AGAIN = "Run 'snapshot' to get fresh refs"
_MOST_LINES = 20_000
"""A tree of more lines is made again each time, instead of being kept (0.15 kB for each line)."""


class PrintedRecords:
    """The records of one tab's references, as they were printed."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._lists: Lists | None = None
        self._around: dict[int, PrintedRecord | None] = {}

    def begin_snapshot(self, kept: Kept) -> None:
        """Forget the tree of an earlier snapshot, unless this one is equal.

        The new tree is made when it is first asked for: it takes 20 times the memory of `kept`.
        """
        if self._lists is None or self._lists.tree.kept != kept:
            self._lists = None
            self._around = {}

    def texts_around(self, number: int) -> PrintedRecord | None:
        """Return the texts that tell a ref's record from others.

        None where no text does, or where the ref was printed long ago.
        """
        if number not in self._around:
            lists, line = self._find_printed(number)
            self._around[number] = _collect_texts(lists, line) if lists else None
        return self._around[number]

    def explain_other(self, ref: str, number: int, now: Tree) -> StaleRef | None:
        """Return the error if another record stands now where a ref was printed; None for the same one.

        now: what the page shows
        """
        lists, line = self._find_printed(number)
        now_line = now.line_of(number)
        if lists is None or now_line < 0:
            return None
        other = find_other(lists, line, Lists(now), now_line)
        if other is None:
            return None
        was = _quote_with_title(lists.tree, line, other.was)
        where = f"; {was} is {now.ref(other.moved_to)} now" if other.moved_to >= 0 else ""
        return StaleRef(
            f"Ref {ref} ({was}) is stale — {_quote_with_title(now, now_line, other.now)} stands there now{where}",
            AGAIN,
        )

    def _find_printed(self, number: int) -> tuple[Lists | None, int]:
        """Find the snapshot that printed a number last, and its line there; (None, -1) if that is forgotten."""
        kept = self._numbers.source_of(number)
        if not isinstance(kept, Kept):
            return None, -1
        lists = self._lists_of(kept)
        line = self._find_line(lists.tree, number)
        return (lists, line) if line >= 0 else (None, -1)

    def _find_line(self, tree: Tree, number: int) -> int:
        """Find the line of a number; -1 for none.

        `Tree.line_of` would index all lines for the one that is asked for.
        """
        node = (self._numbers.find(number) or (0, 0))[1]
        return next((tree.nodes.index(one) for one in (node, -node) if one and one in tree.nodes), -1)

    def _lists_of(self, kept: Kept) -> Lists:
        if self._lists is None or self._lists.tree.kept != kept:
            lists = Lists(kept.tree())
            lists.tree.kept = kept
            self._lists = lists if len(lists.tree) <= _MOST_LINES else None
            return lists
        return self._lists


def _collect_texts(lists: Lists, line: int) -> PrintedRecord | None:
    """Collect the texts that tell the records around a line from others."""
    node, texts = 0, list[tuple[int, str]]()
    for record in lists.records(line):
        told = record.texts()
        if not texts:
            node, texts = record.node, told
        else:  # a text without an element is looked for in the innermost record
            texts += [(speaker, text) for speaker, text in told if speaker]
    return PrintedRecord(node=node, texts=texts) if texts else None


def _quote_with_title(tree: Tree, line: int, title: str) -> str:
    said = quote_line(tree.roles[line], tree.names[line])
    return f"{said} ({quote_text(title, 40)})" if title else said


def quote_line(role: str, name: str) -> str:
    """Return a line as messages name it."""
    return f"[{role}] {quote_text(name, 80)}" if name else f"[{role}]"
