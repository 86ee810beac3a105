"""Find and replace the words of a step that name elements."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.flows.file import Step
from gstack_browse.flows.identity import Identity
from gstack_browse.flows.words import Part, Variable, Word, literal
from gstack_browse.registry import REGISTRY, bind, resolve_call


def targets_of(words: Sequence[str], daemon: Daemon) -> list[str]:
    """Return the words of a command that name elements, in the order of its declaration."""
    command, rest = resolve_call(REGISTRY, words)
    values = bind(command, rest, daemon.paths).named_values()
    named = [
        parameter for parameter in command.parameters if parameter.type and parameter.type.hint == "target"
    ]
    found = [values.get(parameter.name) for parameter in named]
    return [
        str(value)
        for value, parameter in zip(found, named, strict=True)
        if isinstance(value, str) and parameter.name in values
    ]


def replace_target(words: Sequence[str], target: str, new: str, daemon: Daemon) -> list[str]:
    """Return a command's words with another target.

    Raises ActionFailed where no single word is the target.
    A word that is equal to the target may be a value, as in `type q --into q`.
    """
    place, prefix = _find_word(words, target, daemon)
    return [*words[:place], prefix + new, *words[place + 1 :]]


def _find_word(words: Sequence[str], target: str, daemon: Daemon) -> tuple[int, str]:
    """Return the index of the word that names a target, and its prefix, such as `--into=`."""
    wanted = [_PROBE if each == target else each for each in targets_of(words, daemon)]
    for place, word in enumerate(words):
        prefix = word.removesuffix(target)
        if not place or not word.endswith(target) or (prefix and not prefix.startswith("--")):
            continue
        try:
            found = targets_of([*words[:place], prefix + _PROBE, *words[place + 1 :]], daemon)
        except UsageError:
            continue
        if found == wanted:
            return place, prefix
    raise ActionFailed(f"No single word of the step is the target {target}", "Write the target only once")


_PROBE = "#target-of-a-step"


def move_target(
    step: Step, values: Mapping[str, str], target: str, selector: str, daemon: Daemon
) -> Step | None:
    """Return a step with another selector for one of its targets; None where that would lose a variable.

    values: of the flow's variables, with which `target` was made
    """
    filled = [word.fill(values) for word in step.words]
    place, prefix = _find_word(filled, target, daemon)
    word = step.words[place]
    new = _insert_variables(prefix + selector, {values[name]: name for name in word.variables})
    if set(new.variables) != set(word.variables):
        return None
    return replace(step, words=(*step.words[:place], new, *step.words[place + 1 :]))


def _insert_variables(text: str, names: Mapping[str, str]) -> Word:
    """Return a text as a word with variables for their values. `names`: value → name."""
    parts: list[Part] = [text]
    for value, name in sorted(names.items(), key=lambda each: -len(each[0])):
        split: list[Part] = []
        for part in parts:
            if not value or not isinstance(part, str):
                split.append(part)
                continue
            first, *others = part.split(value)
            split.append(first)
            for other in others:
                split += [Variable(name), other]
        parts = split
    return Word(tuple(part for part in parts if part != "")) if names else literal(text)


def replace_identity(step: Step, place: int, identity: Identity) -> Step:
    """Return a step with another identity for the target at a place."""
    identities = list(step.identities)
    identities[place] = identity
    return replace(step, identities=tuple(identities))
