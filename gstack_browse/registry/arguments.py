"""The argument types of commands: parsing, metavar, help line and policy of each kind of word."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from gstack_browse.errors import FileFailed, UsageError
from gstack_browse.protocol import DEFAULT_CONTEXT, MAX_LINE_BYTES, parse_context_name
from gstack_browse.registry.surroundings import (
    Place,
    parse_language_tag,
    parse_permissions,
    parse_place,
    parse_time_zone,
)
from gstack_browse.registry.values.argument_type import ArgumentType, Piped, Repeatable, or_piped
from gstack_browse.registry.values.measures import (
    Clip,
    Point,
    PointIn,
    Size,
    make_count_parser,
    parse_browser_address,
    parse_clip,
    parse_direction_or_pixels,
    parse_distance,
    parse_fraction,
    parse_key_or_chord,
    parse_modifier_keys,
    parse_page_range,
    parse_point_in_element,
    parse_row_range,
    parse_scale,
    parse_size,
)
from gstack_browse.registry.values.paths import (
    CallerPaths,
    parse_file_for_page,
    parse_image_output,
    parse_input_file,
    parse_openable_url,
    parse_output_file,
    parse_path_for_page,
    parse_pdf_output,
    parse_picture_prefix,
)
from gstack_browse.registry.values.targets import (
    FormFields,
    normalise_target,
    parse_form_fields,
    parse_screenshot_word,
    parse_target_or_distance,
    parse_target_or_milliseconds,
    parse_target_or_rectangle,
    parse_target_or_url,
)
from gstack_browse.security.policy.hosts import parse_origin
from gstack_browse.text.budget import InvalidBudget, Limit, parse_budget
from gstack_browse.text.pattern import StatusPattern

MOST_URL_CHARACTERS = 100_000
"""Ten times what servers take."""


def _parse_budget(word: str, _paths: CallerPaths) -> tuple[Limit, ...]:
    """Parse a performance budget: `lcp<2500,cls<0.1`. Raises UsageError."""
    try:
        limits = parse_budget(word)
    except InvalidBudget as error:
        raise UsageError(
            str(error), "For example: --budget 'lcp<2500,cls<0.1,requests<80,bytes<1.5MB'"
        ) from None
    if not limits:
        raise UsageError("The budget has no limits", "For example: --budget 'lcp<2500'")
    return limits


def parse_text(word: str, _paths: CallerPaths) -> str:
    """Return the word as typed: any text is valid."""
    return word


def _parse_search_text(word: str, _paths: CallerPaths) -> str:
    """Return a text to look for. Raises UsageError for a blank one: everything has that."""
    if not word.strip():
        raise UsageError("The text to look for is empty", "Leave the option out to have everything")
    return word


def _parse_request_words(word: str, _paths: CallerPaths) -> str:
    """Return the words that choose requests. Raises UsageError for blank ones: they would mean all."""
    if not word.strip():
        raise UsageError("A pattern for requests is needed that is not empty", "'**' means all requests")
    return word


def _parse_url_pattern(word: str, _paths: CallerPaths) -> str:
    """Return a pattern for URLs. Raises UsageError for a blank one: it would mean all."""
    if not word.strip():
        raise UsageError("A pattern for URLs is needed that is not empty", "'**' means all")
    return word


def _parse_secret_value(word: str, paths: CallerPaths) -> str:
    """Return a secret value as typed; for `-` what was piped in, without its last newline."""
    value: str = or_piped(parse_text)(word, paths)
    return value.removesuffix("\n").removesuffix("\r") if isinstance(value, Piped) else value


def _parse_piped_secret(word: str, paths: CallerPaths) -> str:
    """Return a secret that was piped in (typed as `-`).

    Raises UsageError for one that was typed, since the shell's history would show it.
    """
    if word != "-":
        raise UsageError("A secret is not typed as a word, where others could read it", "Pipe it in: … < file")
    return _parse_secret_value(word, paths)


def _parse_user_agent(word: str, _paths: CallerPaths) -> str:
    """Parse a user agent of printable ASCII, as a header's value (RFC 9110, 5.5). Raises UsageError."""
    if len(word) > 1000 or not (word.isascii() and word.isprintable()):
        raise UsageError("A user agent is at most 1000 printable ASCII characters")
    return word.strip()


def _parse_display(word: str, _paths: CallerPaths) -> str:
    """Parse the name of an X or Wayland display: `:0`, `wayland-0`. Raises UsageError."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]*:[0-9]{1,5}(?:\.[0-9]+)?|wayland-[0-9]{1,5}", word):
        raise UsageError(f'"{word[:60]}" is no display', "For example :0, :99 or wayland-0")
    return word


_TAB_NAME = r"(?!t[0-9]+\Z)[A-Za-z][A-Za-z0-9_-]{0,39}\Z"
"""Nothing that could be a number, an option or a page's own words; nor "t2", which agent-browser writes for tab 2."""


def _parse_tab_name(word: str, _paths: CallerPaths) -> str:
    """Parse a new name for a tab: a letter, then letters, digits, - and _. Raises UsageError."""
    if not re.match(_TAB_NAME, word):
        raise UsageError(
            f'"{word[:60]}" is no name for a tab', "A letter, then letters, digits, - and _: for example docs"
        )
    return word


def _parse_tab(word: str, _paths: CallerPaths) -> int | str:
    """Parse a tab: return its number, or the name that it was given. Raises UsageError."""
    if re.match(_TAB_NAME, word):
        return word
    if not re.fullmatch(r"[1-9][0-9]{0,8}", word):
        raise UsageError(f'"{word[:60]}" is no number or name of a tab', "'tabs' lists them")
    return int(word)


def _parse_status(word: str, _paths: CallerPaths) -> StatusPattern:
    """Parse a pattern of HTTP statuses: `201`, `2xx` or `failed`. Raises UsageError."""
    if not StatusPattern.is_valid(word):
        raise UsageError(f'"{word[:60]}" is no status', "Give one such as 201, a kind such as 2xx, or failed")
    return StatusPattern(word)


def _parse_script_path(word: str, paths: CallerPaths) -> Path:
    """Return the path of a script to run. Raises FileFailed, or Refused for a forbidden directory.

    FileFailed has a hint, since code itself is often typed in place of a path.
    """
    try:
        return parse_file_for_page(word, paths)
    except FileFailed as error:
        if word.endswith((".js", ".mjs")):
            raise
        raise FileFailed(error.message, "eval runs a file. To run code: js '<code>'") from None


PAPERS = {
    "A0": (33.1, 46.8), "A1": (23.4, 33.1), "A2": (16.54, 23.4), "A3": (11.7, 16.54), "A4": (8.27, 11.7),
    "A5": (5.83, 8.27), "A6": (4.13, 5.83), "Letter": (8.5, 11), "Legal": (8.5, 14), "Tabloid": (11, 17), "Ledger": (17, 11),
}  # fmt: skip
"""Formats of paper → width and height in inches."""


def _parse_paper(word: str, _paths: CallerPaths) -> str:
    """Parse a paper format's name, such as A4, in any case. Return its usual form. Raises UsageError."""
    found = next((paper for paper in PAPERS if paper.lower() == word.lower()), "")
    if not found:
        raise UsageError(f'"{word[:60]}" is no paper format', f"One of {', '.join(PAPERS)}")
    return found


Text = Annotated[str, ArgumentType("text", "text as it is", parse_text)]
Rest = Annotated[str, ArgumentType("text…", "all remaining words, joined by spaces", parse_text, rest=True)]
Fields = Annotated[
    FormFields,
    ArgumentType(
        "json|-",
        "targets and values as JSON, or - for standard input",
        or_piped(parse_form_fields, is_parsed=True),
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
        or_piped(parse_text),
        rest=True,
        piped=True,
    ),
]
Value = Annotated[
    str, ArgumentType("value…", "the new value; all remaining words, joined by spaces", parse_text, rest=True)
]
SecretValue = Annotated[
    str,
    ArgumentType(
        "value|-",
        "the value, which may have several words; - reads it from standard input",
        _parse_secret_value,
        rest=True,
        piped=True,
    ),
]
PipedSecret = Annotated[
    str, ArgumentType("secret", "the secret, on standard input", _parse_piped_secret, piped=True)
]
Expression = Annotated[
    str,
    ArgumentType(
        "expression…",
        "JavaScript; await works, and @e3 stands for the element",
        parse_text,
        rest=True,
        options=True,
    ),
]
Steps = Annotated[
    str,
    ArgumentType(
        "steps",
        "a JSON list of commands, or one command a line",
        or_piped(parse_text),
        rest=True,
        options=True,
        piped=True,
    ),
]
CommandName = Annotated[str, ArgumentType("command", "the name of a command", parse_text)]
CommandWord = Annotated[
    str,
    ArgumentType(
        "word", "the words of that command, options too", parse_text, dashes=True, most=MAX_LINE_BYTES
    ),
]
Word = Annotated[str, ArgumentType("word", "one word", parse_text)]
CookieName = Annotated[str, ArgumentType("name", "a cookie's name", parse_text)]
StorageKey = Annotated[str, ArgumentType("key", "the item's name", parse_text)]
UserName = Annotated[str, ArgumentType("user", "the name of the user at that site", parse_text)]
RouteChoice = Annotated[
    str, ArgumentType("n|glob", "a route's number or pattern, as 'routes' shows them", _parse_request_words)
]
SearchText = Annotated[str, ArgumentType("word", "a text to look for", _parse_search_text)]
Choice = Annotated[str, ArgumentType("value", "value or label of an option", parse_text)]
Target = Annotated[
    str,
    ArgumentType(
        "target",
        "CSS selector, text=…, role=…, or a ref (@e3, @c1)",
        lambda word, _: normalise_target(word),
        hint="target",
    ),
]
TargetOrTime = Annotated[
    str | int,
    ArgumentType("target|ms", "what to wait for, or milliseconds", parse_target_or_milliseconds, hint="target"),
]
TargetOrUrl = Annotated[
    str,
    ArgumentType(
        "target|url",
        "the element that leads to the file, or the file's URL",
        parse_target_or_url,
        hint="target",
        most=MOST_URL_CHARACTERS,
    ),
]
TargetOrDistance = Annotated[
    str | Point,
    ArgumentType(
        "target|x,y",
        "the other element, or pixels to the right and down",
        parse_target_or_distance,
        hint="target",
    ),
]
Masks = Annotated[
    Sequence[str | Clip],
    ArgumentType(
        "target|x,y,w,h",
        "an element, or a rectangle of the picture in pixels",
        parse_target_or_rectangle,
        hint="target",
    ),
    Repeatable,
]
_POINT = ArgumentType(
    "x,y", "a point of an element: pixels or percent from its top left corner", parse_point_in_element
)
PointArgument = Annotated[PointIn, _POINT]
Waypoints = Annotated[Sequence[PointIn], _POINT, Repeatable]
_ORIGIN = ArgumentType(
    "url", "a site's address, of which the origin counts", lambda word, _: parse_origin(word)
)
Origin = Annotated[str, _ORIGIN]
Origins = Annotated[Sequence[str], _ORIGIN, Repeatable]
DistanceArgument = Annotated[Point, ArgumentType("x,y", "two numbers of CSS pixels", parse_distance)]
Url = Annotated[
    str,
    ArgumentType(
        "url",
        "http, https, about:blank, or a file in the workspace",
        parse_openable_url,
        hint="url",
        most=MOST_URL_CHARACTERS,
    ),
]
UrlGlob = Annotated[
    str,
    ArgumentType(
        "glob",
        "URL pattern: * within a path segment, ** across them; without a slash * does, too",
        _parse_url_pattern,
    ),
]
JsText = Annotated[str, ArgumentType("expr", "JavaScript, in one word", parse_text, most=MAX_LINE_BYTES)]
RequestWords = Annotated[
    str, ArgumentType("glob", "a URL pattern, after a method or without: 'POST **/save'", _parse_request_words)
]
StatusArgument = Annotated[StatusPattern, ArgumentType("status", "201, 2xx, or failed", _parse_status)]
ExpectedWord = Annotated[
    str, ArgumentType("word", "the target or the pattern, as the usage line says", parse_text, hint="target")
]
Key = Annotated[str, ArgumentType("key", "Enter, Tab, a, Control+A, …", parse_key_or_chord, hint="key")]
Modifiers = Annotated[
    Sequence[str], ArgumentType("keys", "modifier keys, comma-separated", parse_modifier_keys)
]
Properties = Annotated[
    str,
    ArgumentType(
        "property", "CSS properties; without any, all that the page has styled", parse_text, dashes=True
    ),
]
SizeArgument = Annotated[Size, ArgumentType("WxH", "width and height in pixels", parse_size)]
ClipArgument = Annotated[Clip, ArgumentType("x,y,w,h", "rectangle of the page in pixels", parse_clip)]
Scale = Annotated[float, ArgumentType("n", "device scale factor", parse_scale)]
Milliseconds = Annotated[int, ArgumentType("ms", "milliseconds", make_count_parser("milliseconds", 0, 300_000))]
Rows = Annotated[range, ArgumentType("from-to", "rows, counted from 1", parse_row_range)]
PageRange = Annotated[range, ArgumentType("from-to", "pages, counted from 1", parse_page_range)]
PageNumber = Annotated[int, ArgumentType("n", "a page, counted from 1", make_count_parser("", 1, 1_000_000))]
Budget = Annotated[
    tuple[Limit, ...],
    ArgumentType("limits", "limits, comma-separated: lcp<2500,cls<0.1,bytes<1.5MB", _parse_budget),
]
Pixels = Annotated[int, ArgumentType("pixels", "CSS pixels", make_count_parser("pixels", 1, 10_000_000))]
DirectionOrPixels = Annotated[
    Any,
    ArgumentType(
        "direction|pixels", "up, down, left, right, top or bottom; or CSS pixels", parse_direction_or_pixels
    ),
]
Share = Annotated[float, ArgumentType("0-1", "a number from 0 to 1", parse_fraction)]
Side = Annotated[
    int, ArgumentType("pixels", "pixels a side; 0: any number", make_count_parser("pixels", 0, 16_384))
]
Quality = Annotated[int, ArgumentType("1-100", "quality of a JPEG or WebP file", make_count_parser("", 1, 100))]
Times = Annotated[int, ArgumentType("n", "how many times", make_count_parser("times", 1, 1_000))]
Severity = Annotated[int, ArgumentType("1-10", "how bad it is", make_count_parser("", 1, 10))]
PageCount = Annotated[
    int, ArgumentType("n", "a number of pages, at most 500", make_count_parser("pages", 1, 500))
]
Count = Annotated[int, ArgumentType("n", "a whole number", make_count_parser("", 0, 100_000_000))]
TabId = Annotated[
    int | str, ArgumentType("tab", "a tab's number or name, as 'tabs' shows it", _parse_tab, hint="tab")
]
ContextName = Annotated[
    str,
    ArgumentType(
        "name",
        "a browser context's name, as 'contexts' shows it",
        lambda word, _: parse_context_name(word) or DEFAULT_CONTEXT,
        hint="context",
    ),
]
BrowserAddress = Annotated[
    str,
    ArgumentType(
        "auto|port|url", "auto, a port of this machine, or a ws:// or http:// URL", parse_browser_address
    ),
]
TabName = Annotated[str, ArgumentType("name", "a letter, then letters, digits, - and _", _parse_tab_name)]
InFile = Annotated[Path, ArgumentType("file", "a file to read", parse_input_file, hint="file")]
PageFile = Annotated[
    Path,
    ArgumentType(
        "file", "a file of the workspace or the temporary directory", parse_file_for_page, hint="file"
    ),
]
PagePath = Annotated[
    Path,
    ArgumentType(
        "file|folder",
        "a file or folder of the workspace or the temporary directory",
        parse_path_for_page,
        hint="file",
    ),
]
Script = Annotated[
    Path | Piped,
    ArgumentType(
        "file|-",
        "a file of JavaScript, or - for standard input",
        or_piped(_parse_script_path),
        hint="file",
        piped=True,
    ),
]
OutFile = Annotated[Path, ArgumentType("path", "a file to write", parse_output_file, hint="file")]
ImageFile = Annotated[Path, ArgumentType("path", "an image file to write", parse_image_output, hint="file")]
PdfFile = Annotated[Path, ArgumentType("path", "a PDF file to write", parse_pdf_output, hint="file")]
PicturePrefix = Annotated[
    Path, ArgumentType("prefix", "how the names of the image files begin", parse_picture_prefix, hint="file")
]
Paper = Annotated[str, ArgumentType("format", f"paper: {', '.join(PAPERS)}", _parse_paper)]
UserAgent = Annotated[
    str,
    ArgumentType(
        "string…", "the user agent; all remaining words, joined by spaces", _parse_user_agent, rest=True
    ),
]
PlaceArgument = Annotated[
    Place | str, ArgumentType("lat,lon", "latitude and longitude in degrees", parse_place)
]
TimeZone = Annotated[str, ArgumentType("zone", "a time zone such as Europe/Berlin", parse_time_zone)]
Locale = Annotated[str, ArgumentType("tag", "a language tag such as de-DE", parse_language_tag)]
Permissions = Annotated[
    tuple[str, ...] | str, ArgumentType("names", "permissions, comma-separated", parse_permissions)
]
DisplayName = Annotated[
    str, ArgumentType("display", "an X display such as :0, or a Wayland one", _parse_display)
]
Shot = Annotated[
    str | Path,
    ArgumentType(
        "target|path|-",
        "the element to picture, and the image file to write; - for standard output",
        parse_screenshot_word,
        hint="file",
        is_output=True,
    ),
]
