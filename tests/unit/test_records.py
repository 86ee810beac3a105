"""Records are what `dataclasses` would have made of the same classes."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from gstack_browse import records

MAKERS = {"dataclasses": dataclasses.dataclass, "records": records.dataclass}
OPTIONS: list[dict[str, bool]] = [
    {}, {"frozen": True}, {"slots": True}, {"frozen": True, "slots": True}, {"eq": False}, {"slots": True, "eq": False},
]  # fmt: skip


def what_holds(maker: Any, options: dict[str, bool]) -> dict[str, Any]:
    """What can be seen of a class that this makes, and of its objects."""

    @maker(**options)
    class Row:
        name: str
        set: int = 3
        none: object = None
        many: "list[str]" = records.field(default_factory=list)
        secret: str = records.field(default="s3cret", repr=False)
        memory: int = records.field(default=0, repr=False, compare=False)

        @property
        def shout(self) -> str:
            return self.name.upper()

    one, same, other = Row("a", 4), Row(name="a", set=4, memory=1), Row("b", 4, many=["x"])
    seen: dict[str, Any] = {
        "text": repr(one).rpartition(".")[2],
        "equal": (one == same, one != other, one == ("a", 4), one == one),
        "dict": dataclasses.asdict(other),
        "tuple": dataclasses.astuple(one),
        "fields": [(each.name, each.type, each.default is None) for each in dataclasses.fields(Row)],
        "replaced": dataclasses.astuple(dataclasses.replace(one, set=9)),
        "words": Row.__match_args__,
        "own": one.many is not same.many,
        "shout": one.shout,
        "has a dict": hasattr(one, "__dict__"),
        "can be in a set": Row.__hash__ is not None,
        "copied": dataclasses.astuple(copy.copy(other)),
        "copied deeply": dataclasses.astuple(copy.deepcopy(other)),
    }
    for what, change in {"set": lambda: setattr(one, "set", 5), "del": lambda: delattr(one, "set")}.items():
        try:
            change()
            seen[what] = "done"
        except FrozenInstanceError as error:
            seen[what] = str(error)
    for what, words in {"too few": (), "too many": (1,) * 9}.items():
        with pytest.raises(TypeError) as refused:
            Row(*words)
        seen[what] = str(refused.value).rpartition("Row.")[2]
    return seen


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_record_is_what_dataclasses_makes(options: dict[str, bool]) -> None:
    assert what_holds(records.dataclass, options) == what_holds(dataclasses.dataclass, options)


@records.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: tuple[int, ...] = ()


@records.dataclass
class Named:
    name: str
    inner: Any = None

    def __repr__(self) -> str:
        return self.name


@records.dataclass
class Longer(Named):
    """A record that has more than another."""

    length: int = 1


def test_equal_records_that_cannot_change_have_one_hash_and_come_back_from_bytes() -> None:
    point = Point(1, (2,))
    assert {point: "here"}[Point(1, (2,))] == "here"
    assert pickle.loads(pickle.dumps(point)) == point


def test_a_method_of_the_class_stays_and_a_record_that_holds_itself_can_be_written() -> None:
    assert repr(Named("plain")) == "plain"

    @records.dataclass
    class Ring:
        inner: Any = None

    ring = Ring()
    ring.inner = ring
    assert repr(ring).endswith("Ring(inner=...)")


def test_a_record_has_the_fields_of_the_one_it_is_made_of_whichever_is_made_first() -> None:
    assert (Longer("a", length=2).length, Named("a").name, Longer("b").inner) == (2, "a", None)
    assert Longer("a") != Named("a")
