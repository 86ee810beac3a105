"""Argument types: each owns the parsing, the metavar, the help line and the policy of one kind of word.

Path rules (`paths`) live in InFile and OutFile and URL rules in Url, so that a handler cannot forget them. Patterns are
compiled where they are first used: local commands wait for this module.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from gstack_browse.errors import FileFailed, Refused, UsageError
from gstack_browse.registry.form_fields import FormFields, form_fields
from gstack_browse.registry.keys import key_or_chord, modifier_keys
from gstack_browse.registry.paths import (
    IMAGE_SUFFIXES,
    image_file,
    in_file,
    openable_url,
    out_file,
    page_file,
    pdf_file,
    picture_prefix,
)
from gstack_browse.registry.paths import CallerPaths as CallerPaths
from gstack_browse.registry.points import Point, PointIn, distance, is_distance, point_in
from gstack_browse.registry.surroundings import Place, locale, permissions, position, time_zone
from gstack_browse.text.requests import Status


class ArgumentType(NamedTuple):
    """How one kind of word is named in usage, explained in help, and turned into a value.

    `parse` raises UsageError for a malformed word, Refused for one that policy forbids. `rest` takes all
    remaining words, joined by spaces. `hint` tells shell completion what to offer. `dashes`: words may begin
    with a dash without being options. `options`: of the rest, a word that looks like `--option` is one all the same.
    `piped`: the word `-` stands for what is piped into the client; `or_piped` makes such a `parse`. `is_output`: it stands
    for standard output, to which the client writes the bytes that the reply holds in base64.
    """

    metavar: str
    summary: str
    parse: Callable[[str, CallerPaths], Any]
    rest: bool = False
    hint: str = ""
    dashes: bool = False
    options: bool = False
    piped: bool = False
    is_output: bool = False


class Piped(str):
    """What was piped into the client, in the place of a word `-`."""


def or_piped(
    parse: Callable[[str, CallerPaths], Any], *, is_parsed: bool = False
) -> Callable[[str, CallerPaths], Any]:
    """`parse` for every word but `-`, which stands for what was piped in: as it is, or parsed as well."""

    def parse_either(word: str, paths: CallerPaths) -> Any:
        if word != "-":
            return parse(word, paths)
        if paths.stdin is None:
            raise UsageError("Nothing was piped in for '-'", "For example: gbrowse … - < file")
        return parse(paths.stdin, paths) if is_parsed else Piped(paths.stdin)

    return parse_either


class AtLeastOne:
    """Marks a variadic parameter that must not be empty."""


class Repeatable:
    """Marks an option that may be given several times; its value is the list of them."""


class Size(NamedTuple):
    """Width and height in CSS pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


class Clip(NamedTuple):
    """A rectangle of the page in CSS pixels from its top left corner."""

    x: float
    y: float
    width: float
    height: float


def _text(word: str, paths: CallerPaths) -> str:
    return word


_REF = r"@[ec][0-9]+\Z"
_BARE_REF = r"[ec][0-9]+\Z"
"""A ref as Playwright's own tools write it. No element of HTML is called so."""


def require_target(word: str) -> str:
    """A target as typed. Raises UsageError for what can be none."""
    target = word.strip()
    if re.match(_BARE_REF, target):
        return f"@{target}"
    if not target:
        raise UsageError(
            "The target is empty", "Give a CSS selector, text=…, role=…, label=… or a ref such as @e3"
        )
    ref, inside, selector = target.partition(">>")
    if target.startswith("@") and not (re.match(_REF, ref.strip()) and bool(inside) == bool(selector.strip())):
        raise UsageError(f'"{target}" is not a ref', "Refs look like @e3 or @c1; run 'snapshot -i' to see them")
    return target


def _target(word: str, paths: CallerPaths) -> str:
    return require_target(word)


def _fields(word: str, paths: CallerPaths) -> FormFields:
    return form_fields(word, paths, _target)


PAPERS = ("A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger")


def _paper(word: str, paths: CallerPaths) -> str:
    found = next((paper for paper in PAPERS if paper.lower() == word.lower()), "")
    if not found:
        raise UsageError(f'"{word[:60]}" is no paper format', f"One of {', '.join(PAPERS)}")
    return found


def _secret_value(word: str, paths: CallerPaths) -> str:
    """A value as it is typed, or for `-` what is piped in, without the end of its last line."""
    value: str = or_piped(_text)(word, paths)
    return value.removesuffix("\n").removesuffix("\r") if isinstance(value, Piped) else value


def _only_piped(word: str, paths: CallerPaths) -> str:
    """A secret: the list of processes and the shell's history show what is typed."""
    if word != "-":
        raise UsageError("A secret is not typed as a word, where others could read it", "Pipe it in: … < file")
    return _secret_value(word, paths)


def _user_agent(word: str, paths: CallerPaths) -> str:
    """Visible ASCII, as a header's value may be (RFC 9110, 5.5)."""
    if len(word) > 1000 or not (word.isascii() and word.isprintable()):
        raise UsageError("A user agent is at most 1000 printable ASCII characters")
    return word.strip()


def _display(word: str, paths: CallerPaths) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]*:[0-9]{1,5}(?:\.[0-9]+)?|wayland-[0-9]{1,5}", word):
        raise UsageError(f'"{word[:60]}" is no display', "For example :0, :99 or wayland-0")
    return word


_SELECTOR_START = r"[@.#\[*:]|//|\(/|[A-Za-z][\w:-]*="
_HIDDEN_DIRECTORY = r"\.[\w.-]*/"
"""A path such as `.gstack/a.png` or `../a.png`: the name of a class holds no slash."""
_SELECTOR_INSIDE = r"[#\[\]>:~+*]|\s|\w\.\w"
_OTHER_FILE = r"(?i)\.(?:gif|bmp|tiff?|svg|avif|pdf|txt|md|html?|json)\Z"
"""A file of another kind rather than a class of that name."""


STANDARD_OUTPUT = Path("-")


def _shot(word: str, paths: CallerPaths) -> str | Path:
    """A word of `screenshot`: a ref or selector (what to picture), a path ending in an image suffix, or `-`.

    A bare word such as `h1` could be either, so it is refused instead of guessed.
    """
    if word == "-":
        return STANDARD_OUTPUT
    if re.match(_BARE_REF, word) or (re.match(_SELECTOR_START, word) and not re.match(_HIDDEN_DIRECTORY, word)):
        return _target(word, paths)
    if word.lower().endswith(IMAGE_SUFFIXES):
        return out_file(word, paths)
    if re.search(_SELECTOR_INSIDE, word) and "/" not in word and not re.search(_OTHER_FILE, word):
        return _target(word, paths)
    raise UsageError(
        f'"{word}" is neither a selector nor a path ending in {", ".join(IMAGE_SUFFIXES)}',
        f"For an element write 'css={word}', for a file '{word}.png'",
    )


def whole_number(word: str, *, least: int = 0, most: int, unit: str) -> int:
    """A number as typed. Raises UsageError for anything else."""
    if not re.fullmatch(r"[0-9]{1,12}", word):
        raise UsageError(f'"{word}" is not a whole number of {unit}')
    number = int(word)
    if not least <= number <= most:
        raise UsageError(f"{word} {unit} is out of range", f"Give {least} to {most}")
    return number


def _counted(unit: str, least: int, most: int) -> Callable[[str, CallerPaths], int]:
    def parse(word: str, paths: CallerPaths) -> int:
        return whole_number(word, least=least, most=most, unit=unit)

    return parse


_TAB_NAME = r"(?!t[0-9]+\Z)[A-Za-z][A-Za-z0-9_-]{0,39}\Z"
"""Nothing that could be a number, an option or a page's own words; nor "t2", which agent-browser writes for tab 2."""


def _tab_name(word: str, paths: CallerPaths) -> str:
    if not re.match(_TAB_NAME, word):
        raise UsageError(
            f'"{word[:60]}" is no name for a tab', "A letter, then letters, digits, - and _: for example docs"
        )
    return word


def _tab(word: str, paths: CallerPaths) -> int | str:
    """The number of a tab, or its name."""
    return word if re.match(_TAB_NAME, word) else whole_number(word, least=1, most=1_000_000_000, unit="tabs")


def _status(word: str, paths: CallerPaths) -> Status:
    if not Status.is_one(word):
        raise UsageError(f'"{word[:60]}" is no status', "Give one such as 201, a kind such as 2xx, or failed")
    return Status(word)


def _direction_or_pixels(word: str, paths: CallerPaths) -> str | int:
    if word in ("up", "down", "left", "right"):
        return word
    if re.fullmatch(r"[0-9]+", word):
        return whole_number(word, least=1, most=10_000_000, unit="pixels")
    raise UsageError(
        f'"{word[:60]}" is neither a direction nor a number of pixels', "One of up, down, left, right"
    )


def _target_or_milliseconds(word: str, paths: CallerPaths) -> str | int:
    if re.fullmatch(r"[0-9]+", word):
        return whole_number(word, least=0, most=300_000, unit="milliseconds")
    return _target(word, paths)


class Address(str):
    """A URL, where a target could stand, too."""


def _target_or_distance(word: str, paths: CallerPaths) -> str | Point:
    return distance(word, paths) if is_distance(word) else _target(word, paths)


_ADDRESS = r"(?i)[a-z][a-z0-9+.-]*://|data:|blob:|javascript:|about:|[a-z0-9.-]+:[0-9]{1,5}/|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/"


def _target_or_url(word: str, paths: CallerPaths) -> str:
    """An address has a scheme, or a host with a port or a path; all else is a target."""
    if not re.match(_ADDRESS, word.strip()):
        return _target(word, paths)
    url = openable_url(word, paths)
    if not url.startswith(("http:", "https:")):
        raise Refused(f"{url.partition(':')[0]}: addresses are not downloaded", "Allowed: http and https")
    return Address(url)


_ROWS = r"([0-9]{1,9})(?:-([0-9]{1,9}))?\Z"


def _rows(word: str, paths: CallerPaths) -> range:
    """Rows counted from 1, the last one included: "20-40", or one of them, "20"."""
    match = re.match(_ROWS, word)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise UsageError(f'"{word}" is not a range of rows', "Write the first and the last, for example 20-40")
    return range(first, last + 1)


_SIZE = r"([0-9]{1,5})[xX×]([0-9]{1,5})\Z"


def _size(word: str, paths: CallerPaths) -> Size:
    match = re.match(_SIZE, word)
    if not match:
        raise UsageError(f'"{word}" is not a size', "Write width x height in pixels, for example 1280x720")
    size = Size(int(match[1]), int(match[2]))
    if not (1 <= size.width <= 10_000 and 1 <= size.height <= 10_000):
        raise UsageError(f"A viewport of {size} is not possible", "Width and height may be 1 to 10000")
    return size


def _clip(word: str, paths: CallerPaths) -> Clip:
    try:
        numbers = [float(part) for part in word.split(",")]
        clip = Clip(*numbers)
    except (ValueError, TypeError):
        raise UsageError(
            f'"{word}" is not a rectangle', "Write x,y,width,height in pixels, for example 0,0,400,300"
        ) from None
    if (
        not all(abs(number) < 100_000 for number in clip)
        or clip.width <= 0
        or clip.height <= 0
        or clip.x < 0
        or clip.y < 0
    ):
        raise UsageError(
            f'"{word}" is not a rectangle of the page', "Width and height must be above 0, x and y not below"
        )
    return clip


def _share(word: str, paths: CallerPaths) -> float:
    if not re.fullmatch(r"0|1|0?\.[0-9]{1,6}|1\.0{1,6}", word):
        raise UsageError(f'"{word[:60]}" is not a number from 0 to 1', "For example 0.01")
    return float(word)


def _scale(word: str, paths: CallerPaths) -> float:
    try:
        scale = float(word)
    except ValueError:
        scale = 0.0
    if not 0.1 <= scale <= 5:
        raise UsageError(f'"{word}" is not a device scale factor', "Give 0.1 to 5, for example 2")
    return scale


Text = Annotated[str, ArgumentType("text", "text as it is", _text)]
Rest = Annotated[str, ArgumentType("text…", "all remaining words, joined by spaces", _text, rest=True)]
Fields = Annotated[
    FormFields,
    ArgumentType(
        "json|-",
        "targets and values as JSON, or - for standard input",
        or_piped(_fields, is_parsed=True),
        piped=True,
        rest=True,
        options=True,
    ),
]
PastedText = Annotated[
    str,
    ArgumentType(
        "text…|-",
        "all remaining words, joined by spaces; or - for standard input",
        or_piped(_text),
        rest=True,
        piped=True,
    ),
]
Value = Annotated[
    str, ArgumentType("value…", "the new value; all remaining words, joined by spaces", _text, rest=True)
]
SecretValue = Annotated[
    str,
    ArgumentType(
        "value|-",
        "the value, which may have several words; - reads it from standard input",
        _secret_value,
        rest=True,
        piped=True,
    ),
]
PipedSecret = Annotated[str, ArgumentType("secret", "the secret, on standard input", _only_piped, piped=True)]
Expression = Annotated[
    str,
    ArgumentType(
        "expression…",
        "JavaScript; await works, and @e3 stands for the element",
        _text,
        rest=True,
        options=True,
    ),
]
Steps = Annotated[
    str,
    ArgumentType(
        "steps",
        "a JSON list of commands, or one command a line",
        or_piped(_text),
        rest=True,
        options=True,
        piped=True,
    ),
]
CommandName = Annotated[str, ArgumentType("command", "the name of a command", _text)]
CommandWord = Annotated[str, ArgumentType("word", "the words of that command, options too", _text, dashes=True)]
Word = Annotated[str, ArgumentType("word", "one word", _text)]
Choice = Annotated[str, ArgumentType("value", "value or label of an option", _text)]
Target = Annotated[
    str,
    ArgumentType("target", "CSS selector, text=…, role=…, or a ref (@e3, @c1)", _target, hint="target"),
]
TargetOrTime = Annotated[
    str | int,
    ArgumentType("target|ms", "what to wait for, or milliseconds", _target_or_milliseconds, hint="target"),
]
TargetOrUrl = Annotated[
    str,
    ArgumentType(
        "target|url", "the element that leads to the file, or the file's URL", _target_or_url, hint="target"
    ),
]
TargetOrDistance = Annotated[
    str | Point,
    ArgumentType(
        "target|x,y",
        "the other element, or pixels to the right and down",
        _target_or_distance,
        hint="target",
    ),
]
_POINT = ArgumentType("x,y", "a point of an element: pixels or percent from its top left corner", point_in)
PointArgument = Annotated[PointIn, _POINT]
Waypoints = Annotated[Sequence[PointIn], _POINT, Repeatable]
DistanceArgument = Annotated[Point, ArgumentType("x,y", "two numbers of CSS pixels", distance)]
Url = Annotated[
    str, ArgumentType("url", "http, https, about:blank, or a file in the workspace", openable_url, hint="url")
]
UrlGlob = Annotated[str, ArgumentType("glob", "URL pattern: * within a path segment, ** across them", _text)]
JsText = Annotated[str, ArgumentType("expr", "JavaScript, in one word", _text)]
RequestWords = Annotated[
    str, ArgumentType("glob", "a URL pattern, after a method or without: 'POST **/save'", _text)
]
StatusArgument = Annotated[Status, ArgumentType("status", "201, 2xx, or failed", _status)]
ExpectedWord = Annotated[
    str, ArgumentType("word", "the target or the pattern, as the usage line says", _text, hint="target")
]
Key = Annotated[str, ArgumentType("key", "Enter, Tab, a, Control+A, …", key_or_chord, hint="key")]
Modifiers = Annotated[Sequence[str], ArgumentType("keys", "modifier keys, comma-separated", modifier_keys)]
Property = Annotated[str, ArgumentType("property", "CSS property, for example color", _text, dashes=True)]
Properties = Annotated[
    str,
    ArgumentType("property", "CSS properties; without any, all that the page has styled", _text, dashes=True),
]
SizeArgument = Annotated[Size, ArgumentType("WxH", "width and height in pixels", _size)]
ClipArgument = Annotated[Clip, ArgumentType("x,y,w,h", "rectangle of the page in pixels", _clip)]
Scale = Annotated[float, ArgumentType("n", "device scale factor", _scale)]
Milliseconds = Annotated[int, ArgumentType("ms", "milliseconds", _counted("milliseconds", 0, 300_000))]
Rows = Annotated[range, ArgumentType("from-to", "rows, counted from 1", _rows)]
Pixels = Annotated[int, ArgumentType("pixels", "CSS pixels", _counted("pixels", 1, 10_000_000))]
DirectionOrPixels = Annotated[
    Any, ArgumentType("direction|pixels", "up, down, left or right; or CSS pixels", _direction_or_pixels)
]
Share = Annotated[float, ArgumentType("0-1", "a number from 0 to 1", _share)]
Side = Annotated[int, ArgumentType("pixels", "pixels a side; 0: any number", _counted("pixels", 0, 16_384))]
Quality = Annotated[int, ArgumentType("1-100", "quality of a JPEG or WebP file", _counted("points", 1, 100))]
Times = Annotated[int, ArgumentType("n", "how many times", _counted("times", 1, 1_000))]
Severity = Annotated[int, ArgumentType("1-10", "how bad it is", _counted("points", 1, 10))]
Count = Annotated[int, ArgumentType("n", "a whole number", _counted("units", 0, 100_000_000))]
TabId = Annotated[
    int | str, ArgumentType("tab", "a tab's number or name, as 'tabs' shows it", _tab, hint="tab")
]
TabName = Annotated[str, ArgumentType("name", "a letter, then letters, digits, - and _", _tab_name)]
InFile = Annotated[Path, ArgumentType("file", "a file to read", in_file, hint="file")]
PageFile = Annotated[
    Path, ArgumentType("file", "a file of the workspace or the temporary directory", page_file, hint="file")
]


def _script(word: str, paths: CallerPaths) -> Path:
    try:
        return page_file(word, paths)
    except FileFailed as error:
        if word.endswith((".js", ".mjs")):
            raise
        raise FileFailed(error.message, "eval runs a file. To run code: js '<code>'") from None


Script = Annotated[
    Path | Piped,
    ArgumentType(
        "file|-", "a file of JavaScript, or - for standard input", or_piped(_script), hint="file", piped=True
    ),
]
OutFile = Annotated[Path, ArgumentType("path", "a file to write", out_file, hint="file")]
ImageFile = Annotated[Path, ArgumentType("path", "an image file to write", image_file, hint="file")]
PdfFile = Annotated[Path, ArgumentType("path", "a PDF file to write", pdf_file, hint="file")]
PicturePrefix = Annotated[
    Path, ArgumentType("prefix", "how the names of the image files begin", picture_prefix, hint="file")
]
Paper = Annotated[str, ArgumentType("format", f"paper: {', '.join(PAPERS)}", _paper)]
UserAgent = Annotated[
    str,
    ArgumentType("string…", "the user agent; all remaining words, joined by spaces", _user_agent, rest=True),
]
PlaceArgument = Annotated[Place | str, ArgumentType("lat,lon", "latitude and longitude in degrees", position)]
TimeZone = Annotated[str, ArgumentType("zone", "a time zone such as Europe/Berlin", time_zone)]
Locale = Annotated[str, ArgumentType("tag", "a language tag such as de-DE", locale)]
Permissions = Annotated[
    tuple[str, ...] | str, ArgumentType("names", "permissions, comma-separated", permissions)
]
DisplayName = Annotated[str, ArgumentType("display", "an X display such as :0, or a Wayland one", _display)]
Shot = Annotated[
    str | Path,
    ArgumentType(
        "target|path|-",
        "the element to picture, and the image file to write; - for standard output",
        _shot,
        hint="file",
        is_output=True,
    ),
]
