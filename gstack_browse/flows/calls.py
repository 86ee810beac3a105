"""Read a step as a call, with its arguments and options, and the labels in a reply of `select`.

Exports know a part of the commands.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.file import Variable as Declared
from gstack_browse.flows.secrecy import unused_name
from gstack_browse.flows.words import Part, Variable, Word, literal
from gstack_browse.text.pattern import fold_blanks

_FLAGS: Mapping[str, frozenset[str]] = {
    "click": frozenset({"--double", "--new-tab"}),
    "fill": frozenset({"--submit"}),
    "type": frozenset({"--clear"}),
    "expect": frozenset({"--not"}),
    "wait": frozenset({"--networkidle", "--load"}),
    "upload": frozenset({"--any-file"}),
}
_VALUED: Mapping[str, frozenset[str]] = {
    "click": frozenset({"--button", "--modifiers", "--at"}),
    "fill": frozenset({"--secret"}),
    "type": frozenset({"--into", "--delay", "--secret"}),
    "expect": frozenset({"--in", "--status", "--times", "--timeout"}),
    "wait": frozenset({"--url", "--text", "--timeout"}),
    "newtab": frozenset({"--name"}),
    "select": frozenset(),
    "select-text": frozenset({"--from", "--to"}),
}


class Untranslatable(Exception):
    """A step has no counterpart in another tool. `args[0]` says what."""


@dataclass(frozen=True)
class Call:
    """A step's command, its arguments, and its options: a flag has an empty word."""

    step: Step
    command: str
    arguments: tuple[Word, ...]
    options: Mapping[str, Word] = field(default_factory=dict)

    def text(self, place: int) -> str:
        """Return an argument that must have no variable. Raises Untranslatable."""
        word = self.argument(place)
        if word.variables:
            raise Untranslatable("a variable in the place of a selector or a number")
        return word.text

    def target(self, place: int) -> str:
        """Return an argument that is a selector; variables in it are marked, see `unmark`."""
        return mark(self.argument(place))

    def argument(self, place: int) -> Word:
        """Return an argument. Raises Untranslatable without one."""
        if place >= len(self.arguments):
            raise Untranslatable(f"{self.command} without what it is about")
        return self.arguments[place]

    def allow(self, *options: str) -> None:
        """Raise Untranslatable for any other option."""
        if other := next((name for name in self.options if name not in options), ""):
            raise Untranslatable(f"{self.command} with {other}")


def read_call(step: Step) -> Call:
    """Return a step as a call. Raises Untranslatable for an option that is not known here."""
    command, *words = step.words
    name = command.text
    arguments: list[Word] = []
    options: dict[str, Word] = {}
    rest = iter(words)
    for word in rest:
        text = word.text
        option, equals, value = text.partition("=")
        if text == "--":
            arguments.extend(rest)
        elif not re.match(r"--[a-z]", text):
            arguments.append(word)
        elif text in _FLAGS.get(name, ()):
            options[text] = Word(())
        elif option in _VALUED.get(name, ()) and equals and not word.variables:
            options[option] = Word((value,) if value else ())
        elif text in _VALUED.get(name, ()):
            options[text] = next(rest, Word(()))
        else:
            raise Untranslatable(f"{name} with {option}")
    return Call(step, name, tuple(arguments), options)


def with_secret_variables(flow: Flow) -> tuple[Flow, dict[str, str]]:
    """Return a flow in which variables stand for secrets of the vault: other tools have no vault.

    Also return the names: the vault's → the variable's.
    """
    names: dict[str, str] = {}
    steps = []
    for step in flow.steps:
        with suppress(Untranslatable):
            step = _with_secret_variable(read_call(step), names, {each.name for each in flow.variables})
        steps.append(step)
    further = (Declared(name, is_secret=True) for name in names.values())
    return replace(flow, steps=tuple(steps), variables=(*flow.variables, *further)), names


def _with_secret_variable(call: Call, names: dict[str, str], declared: set[str]) -> Step:
    """Return the step of a call with a variable for its secret, whose name is added to `names`."""
    if "--secret" not in call.options:
        return call.step
    secret = call.options["--secret"].text
    name = names.setdefault(secret, unused_name(secret, {*declared, *names.values()}))
    others = [(literal(option), word) for option, word in call.options.items() if option != "--secret"]
    options = [word for pair in others for word in pair if word.parts]
    return replace(call.step, words=(literal(call.command), *call.arguments, Word((Variable(name),)), *options))


_MARKED = re.compile("\ue000([A-Za-z0-9_]+)\ue001")


def mark(word: Word) -> str:
    """Return a word as a text in which characters of private use stand around the names of variables."""
    return "".join(f"\ue000{part.name}\ue001" if isinstance(part, Variable) else part for part in word.parts)


def unmark(text: str) -> Word:
    """Return the word of a marked text."""
    parts: list[Part] = []
    end = 0
    for match in _MARKED.finditer(text):
        parts += [text[end : match.start()]] * (match.start() > end)
        parts.append(Variable(match[1]))
        end = match.end()
    return Word((*parts, *([text[end:]] if text[end:] else [])))


@dataclass(frozen=True)
class Selector:
    """A selector, taken apart.

    `kind`: testid, role, label, placeholder, alt, title, text, xpath, css, or chain.
    """

    kind: str
    text: str
    role: str = ""
    is_exact: bool = False


_ROLE = re.compile(r'role=([a-z]+)(?:\[name="((?:[^"\\]|\\.)*)"\])?\Z')
_BY_WORDS = re.compile(r"(label|placeholder|alt|title|text|testid)=(.*)\Z", re.DOTALL)
_OURS_ALONE = re.compile(r"(?:^|>>\s*)(?:label|placeholder|alt|title|testid)=")


def read_selector(target: str) -> Selector:
    """Take a selector apart.

    Raises Untranslatable for a ref, and for a chain with a part that is ours alone.
    """
    if target.startswith("@"):
        raise Untranslatable("a ref, which means nothing elsewhere")
    if ">>" in target:
        if _OURS_ALONE.search(target):
            raise Untranslatable(f"the chain of selectors {target}")
        return Selector("chain", target)
    if role := _ROLE.match(target):
        name = re.sub(r"\\(.)", r"\1", role[2]) if role[2] is not None else ""
        return Selector("role", name, role[1], is_exact=True)
    if target.startswith("role="):
        return Selector("chain", target)
    if by_words := _BY_WORDS.match(target):
        kind, text = by_words[1], by_words[2]
        quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
        if text.startswith("/") and text.rstrip("gimsuy").endswith("/") and len(text) > 2:
            raise Untranslatable(f"a regular expression as a selector: {target}")
        return Selector(kind, re.sub(r"\\(.)", r"\1", text[1:-1]) if quoted else text, is_exact=quoted)
    if len(target) > 1 and target[0] == target[-1] == '"':
        return Selector("text", re.sub(r"\\(.)", r"\1", target[1:-1]), is_exact=True)
    if target.startswith(("xpath=", "//")):
        return Selector("xpath", target.removeprefix("xpath="))
    return Selector("css", target.removeprefix("css="))


_LOOPBACK = re.compile(
    r"(?i)(?:localhost|[^/?#@]*\.localhost|127(?:\.[0-9]+){3}|0\.0\.0\.0|\[::1?\])(?::[0-9]+)?(?:[/?#]|\Z)"
)


def whole_address(word: Word) -> Word:
    """Return an address with its scheme, which `goto` adds by itself.

    Raises Untranslatable for a file's path.
    """
    first = word.parts[0] if word.parts else ""
    if isinstance(first, Variable) or re.match(r"(?i)[a-z][a-z0-9+.-]*://|about:", first):
        return word
    if first.startswith((".", "/", "file:")):
        raise Untranslatable("a file of this machine")
    return Word((f"{'http' if _LOOPBACK.match(first) else 'https'}://{first}", *word.parts[1:]))


def glob_to_regex(glob: str) -> str:
    """Return a pattern of an address as a regular expression.

    `*` is within a segment, `**` across, `{a,b}` one of these.
    """
    found = []
    for piece in re.split(r"(\*\*/?|\*|\{[^{}]*\})", glob):
        if piece == "**/":
            found.append("(?:.*/)?")
        elif piece == "**":
            found.append(".*")
        elif piece == "*":
            found.append("[^/]*")
        elif piece.startswith("{") and piece.endswith("}"):
            found.append(f"(?:{'|'.join(map(re.escape, piece[1:-1].split(',')))})")
        else:
            found.append(re.escape(piece).replace("\\-", "-").replace("\\/", "/"))
    is_part = not re.search(r"\*|\{", glob)
    start = "" if is_part else "^[a-z]+://[^/?#]*" if glob.startswith("/") else "^"
    return f"{start}{''.join(found)}{'' if is_part else '$'}"


_SELECTED = re.compile(r'Selected ("(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*) in ')


def selected_labels(reply: str) -> list[str]:
    """Return the labels that a reply of `select` names."""
    found = _SELECTED.match(reply)
    return json.loads(f"[{found[1]}]") if found else []


def whole_label(word: str, labels: Sequence[str]) -> str:
    """Return the label of which a word is only a part; else the word, which is a label or a value.

    `select` takes a part of a label if no option has the whole one. In a flow the option may be gone when it runs, and the part may be one
    of another label.
    """
    wanted, *folded = (fold_blanks(each).casefold() for each in (word, *labels))
    if wanted in folded:
        return word
    return next((label for label, text in zip(labels, folded, strict=True) if wanted in text), word)
