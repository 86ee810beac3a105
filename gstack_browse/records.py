"""`dataclass` and `field`, as `dataclasses` has them, at a fifth of the time: that compiles up to six methods for each class while we are imported.

Here nothing is compiled but `__init__`, and that when the first object is made. `fields`, `replace`, `asdict` and `match` know these classes, and type
checkers see the decorator of `dataclasses`. Not here is what we do not use: order, keyword-only fields, `InitVar`, `__post_init__`.
"""

import dataclasses
from dataclasses import field
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True):
        """Make a record of a class. Methods that the class has itself stay."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, slots=slots, eq=eq)
        own = set(vars(cls))
        cls.__doc__ = (
            cls.__doc__ or cls.__name__
        )  # else `dataclasses` makes one of the signature, which takes long
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
        methods = {"__init__": _begin(made, frozen=frozen), "__repr__": _written}
        if eq:
            methods |= _compared(made, frozen=frozen)
        if frozen:
            methods |= _refused(made)
        for name, method in methods.items():
            if name not in own:
                setattr(made, name, method)
        return made


__all__ = ["dataclass", "field"]


def _begin(cls: type[Any], *, frozen: bool) -> Any:
    """An `__init__` that puts a compiled one in its place."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807
        compiled = cls.__init__ = _compiled(cls, frozen=frozen)
        compiled(self, *values, **named)

    return __init__


def _compiled(cls: type[Any], *, frozen: bool) -> Any:
    names: dict[str, Any] = {"__none": object(), "__set": object.__setattr__}
    words, lines = ["self"], []
    for one in dataclasses.fields(cls):
        value = one.name
        if one.default is not dataclasses.MISSING:
            names[f"_{one.name}"] = one.default
            words.append(f"{one.name}=_{one.name}")
        elif one.default_factory is not dataclasses.MISSING:
            names[f"_{one.name}"] = one.default_factory
            words.append(f"{one.name}=__none")
            value = f"_{one.name}() if {one.name} is __none else {one.name}"
        else:
            words.append(one.name)
        lines.append(f"__set(self, {one.name!r}, {value})" if frozen else f"self.{one.name} = {value}")
    exec(f"def __init__({', '.join(words)}):\n " + "\n ".join(lines or ["pass"]), names)  # noqa: S102 - names of our fields
    made = names["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


@recursive_repr()
def _written(self: Any) -> str:
    told = [f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr]
    return f"{type(self).__qualname__}({', '.join(told)})"


def _compared(cls: type[Any], *, frozen: bool) -> dict[str, Any]:
    """Objects of the class are equal where their fields are; those that cannot change have a hash."""
    names = [one.name for one in dataclasses.fields(cls) if one.compare]
    values: Any = attrgetter(*names) if names else lambda _: ()

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _refused(cls: type[Any]) -> dict[str, Any]:
    """Objects of the class cannot be changed, and are copied all the same."""
    names = {one.name for one in dataclasses.fields(cls)}

    def refuse(self: Any, name: str, what: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot {what} field {name!r}")

    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807
        refuse(self, name, "assign to")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807
        refuse(self, name, "delete")
        super(cls, self).__delattr__(name)

    def __reduce__(self: Any) -> tuple[Any, ...]:  # noqa: N807
        return type(self), tuple(getattr(self, name.name) for name in dataclasses.fields(self))

    return {"__setattr__": __setattr__, "__delattr__": __delattr__, "__reduce__": __reduce__}
