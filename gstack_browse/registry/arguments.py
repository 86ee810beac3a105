"""Argument types: each owns the parsing, the metavar, the help line and the policy of one kind of word.

Path rules live in InFile and OutFile and URL rules in Url, so that a handler cannot forget them.
Pure but for the file system, which the path rules have to ask. Patterns are compiled, and `tempfile` and `urllib` imported,
where they are first used: local commands wait for this module.
"""

import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from gstack_browse.errors import FileFailed, Refused, UsageError
from gstack_browse.registry.suggest import nearest

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


class Place(NamedTuple):
    """Where a command was typed: what relative paths mean, and where files may be written."""

    cwd: Path
    workspace: Path

    def roots(self) -> tuple[Path, ...]:
        """Directories a command may write to: the workspace and the system's temporary directory."""
        return (self.workspace, Path(_temporary_directory()))


class ArgumentType(NamedTuple):
    """How one kind of word is named in usage, explained in help, and turned into a value.

    `parse` raises UsageError for a malformed word, Refused for one that policy forbids. `rest` takes all
    remaining words, joined by spaces. `hint` tells shell completion what to offer. `dashes`: words may begin
    with a dash without being options. `options`: of the rest, a word that looks like `--option` is one all the same.
    """

    metavar: str
    summary: str
    parse: Callable[[str, Place], Any]
    rest: bool = False
    hint: str = ""
    dashes: bool = False
    options: bool = False


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


def _text(word: str, place: Place) -> str:
    return word


_REF = r"@[ec][0-9]+\Z"


def _target(word: str, place: Place) -> str:
    target = word.strip()
    if not target:
        raise UsageError("The target is empty", "Give a CSS selector, text=…, role=… or a ref such as @e3")
    if target.startswith("@") and not re.match(_REF, target):
        raise UsageError(f'"{target}" is not a ref', "Refs look like @e3 or @c1; run 'snapshot -i' to see them")
    return target


_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*:"
_HOST_AND_PORT = r"[A-Za-z0-9._-]+:[0-9]{1,5}(?:[/?#]|\Z)"
_LOOPBACK = (
    r"(?i)(?:localhost|[^/?#@]*\.localhost|127(?:\.[0-9]+){3}|0\.0\.0\.0|\[::1?\])(?::[0-9]+)?(?:[/?#]|\Z)"
)


def _url(word: str, place: Place) -> str:
    """A URL Chromium may open: http, https, about:blank, or a file inside the workspace.

    Like a browser's address bar, a missing scheme is added: http for this machine, https otherwise.
    """
    url = word.strip()
    if not url:
        raise UsageError("The URL is empty")
    if not re.match(_SCHEME, url) or re.match(_HOST_AND_PORT, url):
        url = ("http://" if re.match(_LOOPBACK, url) else "https://") + url
    if any(ord(character) < 0x20 or ord(character) == 0x7F for character in url):
        raise UsageError("The URL contains a control character")
    scheme = url.split(":", 1)[0].lower()
    if scheme == "file":
        return _file_url(url, place)
    if scheme in ("http", "https"):
        return _web_url(url)
    if url.lower() == "about:blank":
        return "about:blank"
    raise Refused(
        f"URLs of the scheme {scheme}: are not opened",
        "Allowed: http, https, about:blank, file: inside the workspace",
    )


def _web_url(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"Not a URL: {error}") from None
    if not host:
        raise UsageError(f'"{url}" has no host')
    return url


def _file_url(url: str, place: Place) -> str:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        raise Refused("file: URLs of other hosts are not opened")
    path = Path(os.path.realpath(unquote(parts.path)))
    workspace = Path(os.path.realpath(place.workspace))
    if not _is_within(path, workspace):
        raise Refused(f"{path} is outside the workspace", f"file: URLs may name files under {workspace}")
    if workspace / ".gstack" in (path, path.parent):
        raise Refused(f"{path} is the daemon's own", "Put pages of yours in a directory below .gstack")
    suffix = f"#{parts.fragment}" if parts.fragment else ""
    query = f"?{parts.query}" if parts.query else ""
    return path.as_uri() + query + suffix


def _temporary_directory() -> str:
    from tempfile import gettempdir

    return gettempdir()


def _is_within(path: Path, root: Path) -> bool:
    return path == root or root in path.parents


def in_file(word: str, place: Place) -> Path:
    """An existing regular file to read, as the caller names it. Raises FileFailed."""
    path = place.cwd / os.path.expanduser(word)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise FileFailed(f"Cannot read {word}: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise FileFailed(f"Cannot read {word}: not a regular file")
    return path


def out_file(word: str, place: Place) -> Path:
    """A path to write to: under the workspace or the temporary directory, never through a symbolic link.

    Raises Refused for a path elsewhere or a link, FileFailed when its directory does not exist.
    """
    typed = Path(os.path.abspath(place.cwd / os.path.expanduser(word)))
    parent = Path(os.path.realpath(typed.parent))
    path = parent / typed.name
    if not any(_is_within(path, Path(os.path.realpath(root))) for root in place.roots()):
        raise Refused(
            f"{word} is outside the workspace and the temporary directory",
            f"Write under {place.workspace} or {_temporary_directory()}",
        )
    if path.is_symlink():
        raise Refused(f"{word} is a symbolic link", "Name the file itself")
    if path.is_dir():
        raise FileFailed(f"Cannot write {word}: it is a directory")
    if not parent.is_dir():
        raise FileFailed(f"Cannot write {word}: there is no directory {typed.parent}")
    return path


def _image_file(word: str, place: Place) -> Path:
    if not word.lower().endswith(IMAGE_SUFFIXES):
        raise UsageError(f'"{word}" does not end in {", ".join(IMAGE_SUFFIXES)}')
    return out_file(word, place)


def _pdf_file(word: str, place: Place) -> Path:
    if not word.lower().endswith(".pdf"):
        raise UsageError(f'"{word}" does not end in .pdf')
    return out_file(word, place)


def _picture_prefix(word: str, place: Place) -> Path:
    """The beginning of paths to write to; ends where the names of the pictures go on."""
    if word.lower().endswith(IMAGE_SUFFIXES):
        word = word[: word.rindex(".")]
    return out_file(f"{word}-", place).with_name(Path(f"{word}-").name[:-1])


PAPERS = ("A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger")


def _paper(word: str, place: Place) -> str:
    found = next((paper for paper in PAPERS if paper.lower() == word.lower()), "")
    if not found:
        raise UsageError(f'"{word[:60]}" is no paper format', f"One of {', '.join(PAPERS)}")
    return found


def _user_agent(word: str, place: Place) -> str:
    """Visible ASCII, as a header's value may be (RFC 9110, 5.5)."""
    if len(word) > 1000 or not (word.isascii() and word.isprintable()):
        raise UsageError("A user agent is at most 1000 printable ASCII characters")
    return word.strip()


def _display(word: str, place: Place) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]*:[0-9]{1,5}(?:\.[0-9]+)?|wayland-[0-9]{1,5}", word):
        raise UsageError(f'"{word[:60]}" is no display', "For example :0, :99 or wayland-0")
    return word


_SELECTOR_START = r"[@.#\[*:]|//|\(/|[A-Za-z][\w:-]*="
_HIDDEN_DIRECTORY = r"\.[\w.-]*/"
"""A path such as `.gstack/a.png` or `../a.png`: the name of a class holds no slash."""
_SELECTOR_INSIDE = r"[#\[\]>:~+*]|\s|\w\.\w"
_OTHER_FILE = r"(?i)\.(?:gif|bmp|tiff?|svg|avif|pdf|txt|md|html?|json)\Z"
"""A file of another kind rather than a class of that name."""


def _shot(word: str, place: Place) -> str | Path:
    """A word of `screenshot`: a ref or selector (what to picture), or a path ending in an image suffix.

    A bare word such as `h1` could be either, so it is refused instead of guessed.
    """
    if re.match(_SELECTOR_START, word) and not re.match(_HIDDEN_DIRECTORY, word):
        return _target(word, place)
    if word.lower().endswith(IMAGE_SUFFIXES):
        return out_file(word, place)
    if re.search(_SELECTOR_INSIDE, word) and "/" not in word and not re.search(_OTHER_FILE, word):
        return _target(word, place)
    raise UsageError(
        f'"{word}" is neither a selector nor a path ending in {", ".join(IMAGE_SUFFIXES)}',
        f"For an element write 'css={word}', for a file '{word}.png'",
    )


def _whole_number(word: str, *, least: int, most: int, unit: str) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", word):
        raise UsageError(f'"{word}" is not a whole number of {unit}')
    number = int(word)
    if not least <= number <= most:
        raise UsageError(f"{word} {unit} is out of range", f"Give {least} to {most}")
    return number


def _counted(unit: str, least: int, most: int) -> Callable[[str, Place], int]:
    def parse(word: str, place: Place) -> int:
        return _whole_number(word, least=least, most=most, unit=unit)

    return parse


def _target_or_milliseconds(word: str, place: Place) -> str | int:
    if re.fullmatch(r"[0-9]+", word):
        return _whole_number(word, least=0, most=300_000, unit="milliseconds")
    return _target(word, place)


_ROWS = r"([0-9]{1,9})(?:-([0-9]{1,9}))?\Z"


def _rows(word: str, place: Place) -> range:
    """Rows counted from 1, the last one included: "20-40", or one of them, "20"."""
    match = re.match(_ROWS, word)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise UsageError(f'"{word}" is not a range of rows', "Write the first and the last, for example 20-40")
    return range(first, last + 1)


_SIZE = r"([0-9]{1,5})[xX×]([0-9]{1,5})\Z"


def _size(word: str, place: Place) -> Size:
    match = re.match(_SIZE, word)
    if not match:
        raise UsageError(f'"{word}" is not a size', "Write width x height in pixels, for example 1280x720")
    size = Size(int(match[1]), int(match[2]))
    if not (1 <= size.width <= 10_000 and 1 <= size.height <= 10_000):
        raise UsageError(f"A viewport of {size} is not possible", "Width and height may be 1 to 10000")
    return size


def _clip(word: str, place: Place) -> Clip:
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


def _scale(word: str, place: Place) -> float:
    try:
        scale = float(word)
    except ValueError:
        scale = 0.0
    if not 0.1 <= scale <= 5:
        raise UsageError(f'"{word}" is not a device scale factor', "Give 0.1 to 5, for example 2")
    return scale


KEYS = (
    "Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "Home", "End", "PageUp", "PageDown",
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Shift", "Control", "Alt", "Meta", "ControlOrMeta",
    "CapsLock", "ContextMenu", "Pause", "PrintScreen", "ScrollLock", "NumLock",
    "ShiftLeft", "ShiftRight", "ControlLeft", "ControlRight", "AltLeft", "AltRight", "MetaLeft", "MetaRight",
    *(f"F{number}" for number in range(1, 25)), *(f"Digit{digit}" for digit in range(10)),
    *(f"Key{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), *(f"Numpad{digit}" for digit in range(10)),
    "NumpadAdd", "NumpadSubtract", "NumpadMultiply", "NumpadDivide", "NumpadDecimal", "NumpadEnter",
    "Backquote", "Minus", "Equal", "Backslash", "BracketLeft", "BracketRight", "Semicolon", "Quote", "Comma",
    "Period", "Slash", "AltGraph",
)  # fmt: skip
_SPELLINGS = {
    "return": "Enter", "esc": "Escape", "del": "Delete", "ins": "Insert", "ctrl": "Control", "cmd": "Meta",
    "command": "Meta", "option": "Alt", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "pgup": "PageUp", "pgdn": "PageDown", "pagedn": "PageDown",
    **{key.lower(): key for key in KEYS},
}  # fmt: skip


def _key(word: str, place: Place) -> str:
    """A key or a chord such as Control+A, in Playwright's spelling whatever the case it was typed in."""
    if not word:
        raise UsageError("The key is empty")
    *held, last = _key_parts(word)
    modifiers = [_modifier(part) for part in held]
    key = _one_key(last)
    if "Shift" in modifiers and len(key) == 1:
        key = key.upper()
    return "+".join([*modifiers, key])


def _key_parts(word: str) -> list[str]:
    """What a chord is made of; its last part may be the plus itself, as in Control++."""
    if word == "+":
        return ["+"]
    return [*word[:-2].split("+"), "+"] if word.endswith("++") else word.split("+")


def _modifier(part: str) -> str:
    name = _one_key(part)
    if name not in ("Shift", "Control", "Alt", "Meta", "ControlOrMeta"):
        raise UsageError(f'"{part}" is not a modifier key', "Modifiers: Shift, Control, Alt, Meta")
    return name


def _one_key(part: str) -> str:
    if len(part) == 1:
        return part
    if not part:
        raise UsageError("The chord has no last key", "For example Control+A")
    if key := _SPELLINGS.get(part.lower()):
        return "Space" if key == "Space" else key
    near = nearest(part, KEYS)
    raise UsageError(
        f'Unknown key "{part}"',
        f"Did you mean {near}?" if near else "For example Enter, Tab, Escape, ArrowDown, Control+A",
    )


def _modifiers(word: str, place: Place) -> Sequence[str]:
    return [_modifier(part.strip()) for part in word.split(",") if part.strip()]


Text = Annotated[str, ArgumentType("text", "text as it is", _text)]
Rest = Annotated[str, ArgumentType("text…", "all remaining words, joined by spaces", _text, rest=True)]
Value = Annotated[
    str, ArgumentType("value…", "the new value; all remaining words, joined by spaces", _text, rest=True)
]
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
    str, ArgumentType("steps", "a JSON list of commands, or one command a line", _text, rest=True, options=True)
]
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
Url = Annotated[
    str, ArgumentType("url", "http, https, about:blank, or a file in the workspace", _url, hint="url")
]
UrlGlob = Annotated[str, ArgumentType("glob", "URL pattern: * within a path segment, ** across them", _text)]
Key = Annotated[str, ArgumentType("key", "Enter, Tab, a, Control+A, …", _key, hint="key")]
Modifiers = Annotated[Sequence[str], ArgumentType("keys", "modifier keys, comma-separated", _modifiers)]
Property = Annotated[str, ArgumentType("property", "CSS property, for example color", _text, dashes=True)]
SizeArgument = Annotated[Size, ArgumentType("WxH", "width and height in pixels", _size)]
ClipArgument = Annotated[Clip, ArgumentType("x,y,w,h", "rectangle of the page in pixels", _clip)]
Scale = Annotated[float, ArgumentType("n", "device scale factor", _scale)]
Milliseconds = Annotated[int, ArgumentType("ms", "milliseconds", _counted("milliseconds", 0, 300_000))]
Rows = Annotated[range, ArgumentType("from-to", "rows, counted from 1", _rows)]
Pixels = Annotated[int, ArgumentType("pixels", "CSS pixels", _counted("pixels", 1, 10_000_000))]
Times = Annotated[int, ArgumentType("n", "how many times", _counted("times", 1, 1_000))]
Severity = Annotated[int, ArgumentType("1-10", "how bad it is", _counted("points", 1, 10))]
Count = Annotated[int, ArgumentType("n", "a whole number", _counted("units", 0, 100_000_000))]
TabId = Annotated[
    int, ArgumentType("tab", "a tab's number, as 'tabs' shows it", _counted("tabs", 1, 1_000_000_000))
]
InFile = Annotated[Path, ArgumentType("file", "a file to read", in_file, hint="file")]
OutFile = Annotated[Path, ArgumentType("path", "a file to write", out_file, hint="file")]
ImageFile = Annotated[Path, ArgumentType("path", "an image file to write", _image_file, hint="file")]
PdfFile = Annotated[Path, ArgumentType("path", "a PDF file to write", _pdf_file, hint="file")]
PicturePrefix = Annotated[
    Path, ArgumentType("prefix", "how the names of the image files begin", _picture_prefix, hint="file")
]
Paper = Annotated[str, ArgumentType("format", f"paper: {', '.join(PAPERS)}", _paper)]
UserAgent = Annotated[
    str,
    ArgumentType("string…", "the user agent; all remaining words, joined by spaces", _user_agent, rest=True),
]
DisplayName = Annotated[str, ArgumentType("display", "an X display such as :0, or a Wayland one", _display)]
Shot = Annotated[
    str | Path,
    ArgumentType("target|path", "the element to picture, and the image file to write", _shot, hint="file"),
]
