"""Read a step of a flow as a command with arguments and options, for exports to other tools.

Also here: the labels in a reply of `select`, and texts with marked variables.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.file import Variable as Declared
from gstack_browse.flows.secret_variables import unused_name
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
    """A step's command, its arguments, and its options; the value of a flag is an empty word."""

    step: Step
    command: str
    arguments: tuple[Word, ...]
    options: Mapping[str, Word] = field(default_factory=dict)

    def text(self, index: int) -> str:
        """Return argument `index` (from 0) as text. Raises Untranslatable if it has a variable or is missing."""
        word = self.argument(index)
        if word.variables:
            raise Untranslatable("a variable in the place of a selector or a number")
        return word.text

    def target(self, index: int) -> str:
        """Return argument `index` (from 0), a selector, as text with variables marked (see `mark_variables`)."""
        return mark_variables(self.argument(index))

    def argument(self, index: int) -> Word:
        """Return the argument number `index` (from 0). Raises Untranslatable if it is missing."""
        if index >= len(self.arguments):
            raise Untranslatable(f"{self.command} without what it is about")
        return self.arguments[index]

    def require_options_among(self, *options: str) -> None:
        """Raise Untranslatable if the call has any option but these."""
        if other := next((name for name in self.options if name not in options), ""):
            raise Untranslatable(f"{self.command} with {other}")


def read_call(step: Step) -> Call:
    """Parse the words of a step into arguments and options. Raises Untranslatable for an unknown option."""
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


def replace_vault_secrets(flow: Flow) -> tuple[Flow, dict[str, str]]:
    """Replace secrets of the vault by secret variables in a flow, for other tools, which have no vault.

    Also return name in the vault → name of the variable.
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
    """Replace the vault secret that a call types by a variable, and add its name to `names`.

    `declared`: names of the flow's variables, which are not used again.
    """
    if "--secret" not in call.options:
        return call.step
    secret = call.options["--secret"].text
    name = names.setdefault(secret, unused_name(secret, {*declared, *names.values()}))
    others = [(literal(option), word) for option, word in call.options.items() if option != "--secret"]
    options = [word for pair in others for word in pair if word.parts]
    return replace(call.step, words=(literal(call.command), *call.arguments, Word((Variable(name),)), *options))


_MARKED = re.compile("\ue000([A-Za-z0-9_]+)\ue001")


def mark_variables(word: Word) -> str:
    """Convert a word to text, in which the name of a variable stands between two private-use characters."""
    return "".join(f"\ue000{part.name}\ue001" if isinstance(part, Variable) else part for part in word.parts)


def parse_marked_variables(text: str, mark: re.Pattern[str] = _MARKED) -> Word:
    """Convert a text of `mark_variables` back to a word. `mark` matches a variable, its name as group 1."""
    parts: list[Part] = []
    end = 0
    for match in mark.finditer(text):
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
    """Parse a selector. Raises Untranslatable for a ref, and for a chain with an engine of gbrowse's own."""
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


def complete_address(word: Word) -> Word:
    """Add `https://` or the like to an address that has no scheme, as `goto` does.

    Raises Untranslatable for a file's path.
    """
    first = word.parts[0] if word.parts else ""
    if isinstance(first, Variable) or re.match(r"(?i)[a-z][a-z0-9+.-]*://|about:", first):
        return word
    if first.startswith((".", "/", "file:")):
        raise Untranslatable("a file of this machine")
    return Word((f"{'http' if _LOOPBACK.match(first) else 'https'}://{first}", *word.parts[1:]))


def glob_to_regex(glob: str) -> str:
    """Convert an address pattern to a regular expression.

    `*` is within a segment, `**` across, `{a,b}` either.
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


def parse_selected_labels(reply: str) -> list[str]:
    """Return the labels of the chosen options in the reply of a `select`; [] for another reply."""
    found = _SELECTED.match(reply)
    return json.loads(f"[{found[1]}]") if found else []


def complete_label(word: str, labels: Sequence[str]) -> str:
    """Return the first of `labels` that contains `word`; `word` itself if it is one, or in none (a value).

    `select` takes a part of a label if no option has the whole one. In a flow the option may be gone when it runs,
    and the part may be one of another label.
    """
    wanted, *folded = (fold_blanks(each).casefold() for each in (word, *labels))
    if wanted in folded:
        return word
    return next((label for label, text in zip(labels, folded, strict=True) if wanted in text), word)
