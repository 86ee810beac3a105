"""All commands by name, in families. A module is imported when a command of it is first needed."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from gstack_browse.registry.command import Command


class Family(NamedTuple):
    """The commands of one module, whose docstring `Title: what they are for.` names the family."""

    title: str
    summary: str


class Registry:
    """All commands by name, in the order of their modules, and within each in the order of declaration."""

    def __init__(self) -> None:
        self._commands: dict[str, Command] = {}
        self._families: dict[str, Family] = {}
        self._aliases: dict[str, str] = {}
        self._modules: Sequence[str] = ()
        self._where: Mapping[str, str] = {}

    def declare_in(self, modules: Sequence[str], where: Mapping[str, str]) -> None:
        """Register modules that declare commands; `where` maps names to modules, and may be incomplete."""
        self._modules, self._where = modules, where

    def add(self, command: Command, family: Family) -> None:
        for name in command.names:
            if name in self._commands or name in self._aliases:
                raise ValueError(f"two commands are called {name}")
        self._commands[command.name] = command
        self._families.setdefault(family.title, family)
        self._aliases.update(dict.fromkeys(command.aliases, command.name))

    def get(self, name: str) -> Command | None:
        if (found := self._declared(name)) is None and self._modules:
            if name in self._where:
                import_module(self._where[name])
                found = self._declared(name)
            if found is None:
                self.complete()
                found = self._declared(name)
        return found

    @property
    def commands(self) -> dict[str, Command]:
        """All commands by name."""
        self.complete()
        return self._commands

    def names(self) -> list[str]:
        """Return every name of a command, including aliases."""
        return [*self.commands, *self._aliases]

    def by_family(self) -> list[tuple[Family, list[Command]]]:
        every = list(self.commands.values())
        return [
            (family, [command for command in every if command.family == title])
            for title, family in self._families.items()
        ]

    def complete(self) -> None:
        """Import all modules that have not been imported yet. May run in a thread."""
        if not self._modules:
            return
        for module in self._modules:
            import_module(module)
        place = {module: number for number, module in enumerate(self._modules)}
        ordered = sorted(
            self._commands.items(), key=lambda item: place.get(item[1].handler.__module__, len(place))
        )
        self._commands = dict(ordered)
        self._families = {command.family: self._families[command.family] for command in self._commands.values()}
        self._modules = ()

    def _declared(self, name: str) -> Command | None:
        return self._commands.get(self._aliases.get(name, name))


REGISTRY = Registry()
