"""Bind words to typed arguments, by a command's declaration. Pure but for path rules."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gstack_browse.errors import FileFailed, UnknownCommand, UsageError
from gstack_browse.registry.command import Command, Kind, Parameter, Registry
from gstack_browse.registry.completion import GLOBAL_OPTIONS
from gstack_browse.registry.suggest import find_equivalent, nearest
from gstack_browse.registry.usage import usage
from gstack_browse.registry.values.argument_type import MOST_WORDS, ArgumentType, OpenWord
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.registry.values.targets import FormFields

_PHRASES = {
    "dblclick": "click --double",
    "double-click": "click --double",
    "get text": "text",
    "get html": "html",
    "get value": "value",
    "get title": "title",
    "get url": "url",
    "get count": "count",
    "get box": "box",
    "get styles": "css",
    "keyboard type": "type",
    "tab new": "newtab",
    "tab list": "tabs",
    "tab close": "closetab",
    "dialog accept": "dialog-accept",
    "dialog dismiss": "dialog-dismiss",
    "clipboard copy": "copy",
    "clipboard paste": "paste",
    "network requests": "network",
    "network request": "request",
    "network har start": "har-start",
    "network har stop": "har-stop",
    "network route": "route",
    "network unroute": "unroute",
    "route-list": "routes",
    "errors": "console --errors --unique",
    "vitals": "perf --vitals",
    "screenshot --full": "screenshot",
    "screenshot --full-page": "screenshot",
    "screenshot --annotate": "snapshot -a",
    "cookies set": "cookie-set",
    "cookies clear": "cookies-clear",
    "storage local": "storage",
    "storage local set": "storage-set",
    "storage local clear": "storage-clear",
    "localstorage-list": "storage",
    "localstorage-set": "storage-set",
    "localstorage-delete": "storage-delete",
    "localstorage-clear": "storage-clear",
    "sessionstorage-set": "storage-set --session",
    "sessionstorage-delete": "storage-delete --session",
    "sessionstorage-clear": "storage-clear --session",
    "state save": "state-save",
    "state load": "state-load",
    "mousedown": "mouse down",
    "mouseup": "mouse up",
    "wait --load load": "wait --load",
    "wait --load domcontentloaded": "wait --domcontentloaded",
    "wait --load networkidle": "wait --networkidle",
}
"""Words of other browser tools, as far as they differ, → ours."""
_WORDS = {tuple(theirs.split()): ours.split() for theirs, ours in _PHRASES.items()}
_NUMBER = r"[0-9]{1,5}\Z"


def translate_foreign_words(words: Sequence[str]) -> Sequence[str]:
    """Translate a command line in another browser tool's syntax to ours; return any other as it is.

    `words`: the command's name and its arguments.
    """
    if words[0] not in _FIRST:
        return words
    words = list(words)
    for length in (3, 2, 1):
        if ours := _WORDS.get(tuple(words[:length])):
            return [*ours, *words[length:]]
    rule = _RULES.get(words[0])
    return rule(words) if rule else words


def _translate_type(words: Sequence[str]) -> Sequence[str]:
    """Translate `type @e3 hello` to `type --into @e3 hello`: a ref is never text to be typed into a page.

    Options after the ref are options: `type @e3 --secret shop`.
    """
    is_theirs = len(words) > 2 and re.match(_REF, words[1])
    return ["type", "--into", words[1], *words[2:]] if is_theirs else words


def _translate_resize(words: Sequence[str]) -> Sequence[str]:
    """Translate `resize 800 600` and `set viewport 800 600` to `viewport 800x600`."""
    sizes = words[2:] if words[:2] == ["set", "viewport"] else words[1:] if words[0] == "resize" else []
    if len(sizes) not in (2, 3) or not all(re.match(_NUMBER, size) for size in sizes):
        return words
    return ["viewport", f"{sizes[0]}x{sizes[1]}", *(["--scale", sizes[2]] if sizes[2:] else [])]


def _translate_mouse(words: Sequence[str]) -> Sequence[str]:
    """Translate `mouse move 120 340` and `mousemove 120 340` to `mouse move 120,340`."""
    given = words[2:] if words[0] == "mouse" else words[1:]
    if words[:2] not in (["mouse", "move"], ["mousemove", *words[1:2]]) or len(given) != 2:
        return words
    return ["mouse", "move", ",".join(given)] if all(re.match(_NUMBER, each) for each in given) else words


def _translate_batch(words: Sequence[str]) -> Sequence[str]:
    """Translate `batch "open localhost" "snapshot -i"` to `chain` with these steps.

    `batch` goes on after a failure, so add `--keep-going` unless `--bail` is given.
    """
    steps = [word for word in words[1:] if word != "--bail"]
    if any(step.startswith("-") for step in steps):
        return words
    return ["chain", *([] if "--bail" in words else ["--keep-going"]), *(["\n".join(steps)] if steps else [])]


def _translate_filename(words: Sequence[str]) -> Sequence[str]:
    """Translate `screenshot --filename=a.png` to `screenshot a.png`; the same for `pdf`."""
    typed = " ".join(words[1:2])
    if typed.startswith("--filename="):
        return [words[0], typed.removeprefix("--filename="), *words[2:]]
    return [words[0], *words[2:]] if typed == "--filename" else words


_RULES = {
    "mouse": _translate_mouse,
    "mousemove": _translate_mouse,
    "batch": _translate_batch,
    "type": _translate_type,
    "resize": _translate_resize,
    "set": _translate_resize,
    "screenshot": _translate_filename,
    "pdf": _translate_filename,
}
_FIRST = {words[0] for words in _WORDS} | _RULES.keys()


_LONG = r"--[A-Za-z][\w-]*"


class BoundCall:
    """A command with its arguments: `handler(need, *positional, **options)`.

    `timeout`: the value of `--timeout` in seconds; `max_characters`: of `--max`.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.positional: list[Any] = []
        self.options: dict[str, Any] = {}
        self.timeout: float | None = None
        self.max_characters: int | None = None
        self.wants_help = False
        self.secret_values: list[Any] = []

    @property
    def secrets(self) -> list[str]:
        """Return the secret texts among the arguments, which no reply or log may contain."""
        return [secret for value in self.secret_values for secret in _list_secrets(value)]

    def named_values(self) -> dict[str, Any]:
        """Return the values of arguments and options by parameter name; of a variadic argument only the first."""
        names = [parameter.name for parameter in self.command.arguments]
        return dict(zip(names, self.positional, strict=False)) | self.options

    @property
    def kind(self) -> Kind:
        """Return the effect of this call (READ, WRITE or META): `console` reads, `console --clear` does not."""
        if not self.command.kinds:
            return self.command.kind
        values = self.named_values()
        return next(
            (kind for name, kind in self.command.kinds if values.get(name) is not None), self.command.kind
        )


def resolve_call(registry: Registry, words: Sequence[str]) -> tuple[Command, Sequence[str]]:
    """Return the command that `words` (name and arguments) call, and the words after its name.

    Calls in the syntax of another browser tool are translated. Raises UnknownCommand.
    """
    if len(words) > MOST_WORDS:
        raise UsageError(f"A command has at most {MOST_WORDS} words, not {len(words)}")
    ours = translate_foreign_words(words)
    return find(registry, ours[0]), ours[1:]


def find(registry: Registry, name: str) -> Command:
    """Return the command with that name or alias. Raises UnknownCommand, which suggests the nearest name."""
    if found := registry.get(name):
        return found
    shown = name if len(name) <= 60 else name[:60] + "…"
    ours = find_equivalent(name)
    near = "" if ours else nearest(name, registry.names())
    hint = f"Use '{ours}'. " if ours else f"Did you mean '{near}'? " if near else ""
    raise UnknownCommand(f"Unknown command: {shown}", hint + "Run 'gbrowse help' for the list")


def bind(command: Command, words: Sequence[str], paths: CallerPaths) -> BoundCall:
    """Parse the words after a command's name into the arguments for its handler.

    `paths`: the caller's directories and standard input. Raises UsageError, with the usage line as its hint; Refused, FileFailed.
    """
    try:
        return _Binder(command, words, paths).bind()
    except UsageError as error:
        raise with_usage(error, command) from None


def with_usage(error: UsageError, command: Command) -> UsageError:
    """Return the error with the command's usage line at the end of its hint."""
    line = f"Usage: {usage(command)}"
    if error.hint.endswith(line):
        return error
    return type(error)(error.message, f"{error.hint}\n{line}" if error.hint else line)


def local_command_error(command: Command) -> UsageError:
    """Return the error for a client-only command that was sent to a daemon or is a chain's step."""
    return UsageError(
        f"{command.name} runs in the client, not in the daemon",
        f"Type it by itself: gbrowse {command.examples[0]}",
    )


class _Binder:
    """Parse the words of one call into a `BoundCall`."""

    def __init__(self, command: Command, words: Sequence[str], paths: CallerPaths) -> None:
        self._command = command
        self._words = words
        self._paths = paths
        self._plain: list[str] = []
        self._bound = BoundCall(command)

    def bind(self) -> BoundCall:
        """Parse all words of the call, and return it with its parsed arguments. Raises UsageError."""
        self._separate_options()
        if self._bound.options.get("any_file"):
            self._paths = self._paths._replace(any_file=True)
        if not self._bound.wants_help:
            self._fill_positionals()
            if self._command.secret:
                values = self._bound.named_values()
                self._bound.secret_values = [values.get(name) for name in self._command.secret]
        return self._bound

    def _separate_options(self) -> None:
        """Parse the options among the words, and collect the other words. After `--` no word is an option."""
        words = iter(self._words)
        for word in words:
            if word == "--":
                self._plain.extend(words)
            elif word.startswith("-") and self._is_option(word):
                self._take_option(word, words)
            else:
                self._plain.append(word)

    def _is_option(self, word: str) -> bool:
        """Return whether `word`, which begins with a dash, is an option (known or not), rather than a value."""
        if word == "-" or _is_number(word):
            return False
        name = word.partition("=")[0]
        first, blank, _ = name.partition(" ")
        known = (*self._command.long_options, *self._command.shared_options, "--help", "-h")
        kind = self._next_argument_type()
        if kind is None or name in known:
            return True
        if blank and first not in known[:-2]:
            return False  # options have no blank in their names: "-- Please select --" is a value
        may_be_plain = kind.rest or kind.dashes
        return not may_be_plain or bool(kind.options and re.fullmatch(_LONG, name))

    def _next_argument_type(self) -> ArgumentType | None:
        """Return the type of the next word's argument; None if the command has no arguments."""
        arguments = self._command.arguments
        return arguments[min(len(self._plain), len(arguments) - 1)].type if arguments else None

    def _take_option(self, word: str, words: Iterator[str]) -> None:
        """Parse the option `word`, with its value from it (`--name=value`) or from the next of `words`.

        Raises UsageError.
        """
        name, equals, inline = word.partition("=")
        value = inline if equals else None
        if name in ("--help", "-h"):
            self._bound.wants_help = True
        elif name == "--timeout" and name in self._command.shared_options:
            number = self._option_value(name, value, words)
            if not re.fullmatch("[0-9]{1,9}", number) or not 1 <= int(number) <= 600_000:
                raise UsageError(f'"{number[:60]}" is not a timeout', "Give milliseconds, 1 to 600000")
            self._bound.timeout = int(number) / 1000
        elif name == "--max" and name in self._command.shared_options:
            number = self._option_value(name, value, words)
            if not re.fullmatch("[0-9]{1,9}", number):
                raise UsageError(
                    f'"{number[:60]}" is not a number of characters', "Give 0 to 999999999; 0: all"
                )
            self._bound.max_characters = int(number)
        elif parameter := self._command.long_options.get(name):
            self._set_option(parameter, name, value, words)
        elif name.startswith("--") or not self._take_short_flags(word, words):
            self._refuse_unknown_flag(name)

    def _take_short_flags(self, word: str, words: Iterator[str]) -> bool:
        """Parse combined short flags such as -ic; the last may take a value (-d 3, -d3) from `words`.

        Return False if a letter is no short flag of the command.
        """
        letters = word[1:]
        for index, letter in enumerate(letters):
            parameter = self._command.short_options.get(letter)
            if parameter is None:
                return False
            if not parameter.flag:
                self._set_option(parameter, f"-{letter}", letters[index + 1 :] or None, words)
                return True
            self._set_option(parameter, f"-{letter}", None, words)
        return True

    def _set_option(self, parameter: Parameter, typed: str, value: str | None, words: Iterator[str]) -> None:
        """Parse the value of an option and store it; a flag becomes True.

        Args:
            typed: the option as written, for messages
            value: what follows `=` or a short flag in the same word; None: take the next of `words`

        Raises UsageError for a missing or malformed value, or an option that is given twice.
        """
        if parameter.flag:
            if value is not None:
                raise UsageError(f"{typed} takes no value")
            self._bound.options[parameter.name] = True
            return
        parsed = self._parse(parameter, self._option_value(typed, value, words))
        if parameter.repeatable:
            self._bound.options.setdefault(parameter.name, []).append(parsed)
            return
        if parameter.name in self._bound.options:
            raise UsageError(f"{typed} is given twice")
        self._bound.options[parameter.name] = parsed

    def _option_value(self, typed: str, value: str | None, words: Iterator[str]) -> str:
        """Return the value of an option: `value`, or the next of `words` if that is None.

        `typed`: the option as written, for the message. Raises UsageError if there is none.
        """
        found = next(words, None) if value is None else value
        if found is None:
            raise UsageError(f"{typed} needs a value")
        return found

    def _refuse_unknown_flag(self, name: str) -> None:
        """Raise UsageError for the unknown flag `name`, with advice on what may have been meant."""
        suggestion = suggest_for_flag(self._command, name)
        hints = [suggestion] if suggestion else []
        if name in GLOBAL_OPTIONS:
            hints = [f"{name} stands before the command, right after 'gbrowse'"]
        if (kind := self._next_argument_type()) and kind.rest:
            hints.append("What is no flag goes after '--'")
        hint = " ".join(hint if hint.endswith("?") else f"{hint}." for hint in hints)
        raise UsageError(f"Unknown flag: {name[:60]}", hint.removesuffix("."))

    def _fill_positionals(self) -> None:
        """Parse the words that are no options as the command's arguments, in order.

        Standard input takes the place of a missing one, if the command reads it.
        """
        remaining = list(self._plain)
        self._refuse_surplus()
        if not remaining and self._command.reads_stdin and self._paths.stdin is not None:
            remaining = ["-"]
        lacks_only_last = len(remaining) == len(self._command.arguments) - 1
        if self._command.needs_stdin and self._paths.stdin is not None and lacks_only_last:
            remaining.append("-")
        for parameter in self._command.arguments:
            if parameter.variadic:
                self._require_word(parameter, remaining)
                self._bound.positional.extend(self._parse(parameter, word) for word in remaining)
                return
            if not remaining:
                self._require_word(parameter, remaining)
                self._bound.positional.append(parameter.default)
            elif parameter.type and parameter.type.rest:
                self._bound.positional.append(self._parse(parameter, " ".join(remaining)))
                return
            else:
                self._bound.positional.append(self._parse(parameter, remaining.pop(0)))

    def _refuse_surplus(self) -> None:
        """Raise UsageError if there are more words than the command has arguments."""
        arguments = self._command.arguments
        has_rest = any(argument.variadic or (argument.type and argument.type.rest) for argument in arguments)
        if not has_rest and (surplus := self._plain[len(arguments) :]):
            raise UsageError(f'Unexpected argument "{surplus[0][:60]}"')

    def _require_word(self, parameter: Parameter, remaining: Sequence[str]) -> None:
        """Raise UsageError if the argument `parameter` is required and no word remains for it."""
        if parameter.required and not remaining:
            raise UsageError(
                f"{self._command.name} needs <{parameter.metavar}>",
                f"For example: gbrowse {self._command.examples[0]}",
            )

    def _parse(self, parameter: Parameter, word: str) -> Any:
        """Parse a word as the value of a parameter. Raises UsageError, Refused and FileFailed."""
        if parameter.choices:
            if word not in parameter.choices:
                near = nearest(word, parameter.choices)
                listed = ", ".join(parameter.choices)
                raise UsageError(
                    f'"{word[:60]}" is not one of {listed}', f"Did you mean {near}?" if near else ""
                )
            return word
        assert parameter.type is not None
        try:
            return parameter.type.parse(parameter.type.check_word(word), self._paths)
        except OSError as error:  # such as a path that is too long for the system
            raise FileFailed(f"Cannot use {word[:60]}: {error.strerror}") from None


def _list_secrets(value: Any) -> list[str]:
    """Return the texts that must not be repeated in the parsed value of a secret parameter.

    `value`: form fields, (header name, value) pairs, or a text.
    """
    if isinstance(value, FormFields):
        return value.secrets
    if isinstance(value, tuple | list):  # names and values of headers
        return [secret for _, secret in value if secret]
    return [value] if isinstance(value, str) and value and not isinstance(value, OpenWord) else []


def _is_number(word: str) -> bool:
    """Return whether a word is one number, or several separated by commas: "-4", "-40,12.5"."""
    parts = word.split(",")
    return not word.startswith("--") and all(
        part.removeprefix("-").replace(".", "", 1).isdigit() for part in parts
    )


_MODIFIERS = {
    "shift": "Shift",
    "ctrl": "Control",
    "control": "Control",
    "alt": "Alt",
    "option": "Alt",
    "meta": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "controlormeta": "ControlOrMeta",
}
_POINTER = "click hover check uncheck drag"
_FORCED = "Nothing is forced: what is covered, hidden or disabled is told, and what lies on top can be closed"
_ONE_OF_MANY = "'<selector> >> nth=1' is the second one, and 'snapshot -i' gives each a ref"
_LOADED = "It waits for 'load'; 'wait --networkidle' or 'wait --domcontentloaded' is a command of its own"
_ADVICE: dict[tuple[str, str], str] = {
    (_POINTER, "force"): _FORCED,
    (_POINTER, "position offset pos xy"): "Use '--at <x,y>'",
    (_POINTER, "nowaitafter nowait trial strict"): "Leave it out",
    ("click", "dblclick doubleclick twice"): "Use '--double'",
    ("click", "count clickcount clicks times"): "Use '--double' for two, else the command again",
    ("click", "delay hold"): "Use 'hover <target>', 'mouse down', 'wait <ms>' and 'mouse up'",
    ("click", "newwindow background"): "Use '--new-tab'",
    ("click", "key keys modifier"): "Use '--modifiers <keys>'",
    (f"{_POINTER} text html value attrs css fill select upload", "nth index first last"): _ONE_OF_MANY,
    ("goto reload back forward", "waituntil until load waitfor networkidle domcontentloaded"): _LOADED,
    ("goto newtab", "new newtab tab"): "Use 'newtab <url>'",
    ("tab", "new"): "Use 'newtab [<url>]'",
    ("tab", "close"): "Use 'closetab <tab>'",
    ("wait", "state visible attached for selector"): "Use 'wait <target>', or 'wait --hidden <target>'",
    ("wait", "gone detached invisible notvisible"): "Use '--hidden <target>'",
    ("select", "label value byvalue bylabel text option"): "Leave it out: a label and a value are both taken",
    ("scroll", "px pixels amount by distance dy"): "Use the number alone: 'scroll down 300'",
    ("scroll", "down up top bottom left right"): "Use the word alone: 'scroll down', 'scroll <target> right'",
    ("scroll", "to into selector target element"): "Use the target alone: 'scroll <target>'",
    ("press", "count times repeat"): "Use the command again",
    ("screenshot", "full fullpage all"): "Leave it out: the whole page is the default",
    ("screenshot", "output path file filename out o"): "Use the path alone: 'screenshot page.png'",
    ("screenshot", "selector element target ref"): "Use the target alone: 'screenshot <target>'",
    ("screenshot", "format type"): "The path says that: 'screenshot page.jpg'",
}
"""(Commands, flags of other tools without case and hyphens) → advice."""
_ADVICE_BY_FLAG = {
    (command, flag): advice
    for (commands, flags), advice in _ADVICE.items()
    for command in commands.split()
    for flag in flags.split()
}


def suggest_for_flag(command: Command, typed: str) -> str:
    """Return advice on what to type in place of `typed`, an unknown flag of the command; "" for none."""
    word = typed.lstrip("-").replace("-", "").replace("_", "").casefold()
    if option := _option_with_choice(command, word):
        return f"Use '{option}'"
    if advice := _ADVICE_BY_FLAG.get((command.name, word)):
        return advice
    near = _nearest_flag(command, typed)
    return f"Did you mean {near}?" if near else ""


def _option_with_choice(command: Command, choice: str) -> str:
    """Return the option with the value `choice`, as typed: "right" → `--button right`; "" for none."""
    for option in command.options:
        if choice in option.choices:
            return f"{option.long} {choice}"
        if option.name == "modifiers" and choice in _MODIFIERS:
            return f"{option.long} {_MODIFIERS[choice]}"
    return ""


def _nearest_flag(command: Command, typed: str) -> str:
    """Return the flag of the command that is most similar to `typed`; "" for none.

    Names are compared without their dashes, which all have in common.
    """
    if not typed.startswith("--"):
        return ""
    flags = (*command.long_options, "--help", *command.shared_options)
    known = {flag.removeprefix("--"): flag for flag in flags}
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", typed.removeprefix("--"))
    return known.get(nearest(name, known), "")


_REF = r"@[ec][0-9]+\Z"


def render_shape(bound: BoundCall) -> str:
    """Render a call for logs, with placeholders for the texts typed into it: `fill @e3 <value…>`.

    Names, options, choices, numbers and refs stay; everything else is replaced by its metavar.
    """
    words = [bound.command.name]
    arguments = bound.command.arguments
    for index, value in enumerate(bound.positional):
        parameter = arguments[min(index, len(arguments) - 1)]
        if value is not None and (parameter.variadic or value != parameter.default):
            words.append(_format_shape_value(parameter, value))
    for parameter in bound.command.options:
        if parameter.name in bound.options:
            words.append(
                parameter.long
                if parameter.flag
                else f"{parameter.long} {_format_shape_value(parameter, bound.options[parameter.name])}"
            )
    return " ".join(words)


def _format_shape_value(parameter: Parameter, value: Any) -> str:
    """Return a parsed value for `render_shape`: a ref, a number or a choice as it is.

    Anything else may be a secret, and is replaced by its metavar, such as `<value>`.
    """
    is_harmless = (
        parameter.choices
        or isinstance(value, int | float)
        or (isinstance(value, str) and re.match(_REF, value))
    )
    return str(value) if is_harmless else f"<{parameter.metavar}>"
