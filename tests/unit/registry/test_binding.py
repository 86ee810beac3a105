from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.errors import UnknownCommand, UsageError
from gstack_browse.registry import REGISTRY, BoundCall, bind, find
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.registry.values.targets import Files, FormField
from tests.each import each, each_row

assert commands
HERE = CallerPaths(Path.cwd(), Path.cwd())


def bound(line: str, *words: str) -> BoundCall:
    name, *rest = line.split()
    return bind(find(REGISTRY, name), [*rest, *words], HERE)


def test_options_may_stand_anywhere_in_any_form() -> None:
    for line in ("click @e3 --double", "click --double @e3"):
        assert (bound(line).positional, bound(line).options) == (["@e3"], {"double": True})
    for line in ("click @e3 --button right", "click @e3 --button=right"):
        assert bound(line).options == {"button": "right"}
    assert bound("snapshot -id3").options == {"interactive": True, "depth": 3}
    for word in ("Control,Shift", "control+shift", "Control, Shift"):
        assert bound("click @e1 --modifiers", word).options["modifiers"] == ["Control", "Shift"]
    assert bound("click @e1 --timeout 250").timeout == 0.25
    for word in ("0", "-1", "x", "600001", "1e3", "٣"):
        with pytest.raises(UsageError):
            bound("click @e1 --timeout", word)


@each_row(
    ("snapshot -d", "x", '"x" is not a whole number', "Give 0 to 100000000\n"),
    ("scroll bottom --times", "0", "0 is out of range", "Give 1 to 1000 times\n"),
    ("url --max", "-1", '"-1" is not a number of characters', "Give 0 to 999999999; 0: all\n"),
    ("closetab", "0", '"0" is no number or name of a tab', "'tabs' lists them\n"),
    ("upload input", "", "The path is empty", ""),
    ("js 1 --out", "", "The path is empty", ""),
    ("unroute", "", "A pattern for requests is needed that is not empty", "'**' means all requests\n"),
    ("frame --url", "", "A pattern for URLs is needed that is not empty", "'**' means all\n"),
    ("snapshot --find", "", "The text to look for is empty", "Leave the option out to have everything\n"),
    (
        "read example.com --section",
        " ",
        "The text to look for is empty",
        "Leave the option out to have everything\n",
    ),
)
def test_word_out_of_limits_is_refused_with_the_limits(line: str, word: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as failed:
        bound(line, word)
    assert (failed.value.message, failed.value.hint.partition("Usage: ")[0]) == (message, hint)


@each_row(
    ("fill @e1", "two words", ["@e1", "two words"]),
    ("fill @e1", "-5", ["@e1", "-5"]),
    ("fill @e1", "", ["@e1", ""]),
    ("js --", "--x", ["--x"]),
    ("js", "--x; 5", ["--x; 5"]),
    ("js a", "--any-origin", ["a"]),
    ("fill @e1 --", "--timeout 5", ["@e1", "--timeout 5"]),
    ("select #list", "-- Please select --", ["#list", "-- Please select --"]),
    ("click", "--none of these--", ["--none of these--"]),
)
def test_words_behind_the_options_are_one_value_dashes_and_all(line: str, word: str, values: list[str]) -> None:
    assert bound(line, word).positional == values


GOES_BEHIND, STANDS = "What is no flag goes after '--'", "stands before the command, right after 'gbrowse'"


@each_row(
    ("js --tab 5", f"--tab {STANDS}. {GOES_BEHIND}"),
    ("js --anny-origin a", f"Did you mean --any-origin? {GOES_BEHIND}"),
    ("js --x", GOES_BEHIND),
    ("click --tab 2", f"--tab {STANDS}"),
    ("text main --tab", f"--tab {STANDS}"),
    ("text main --json", f"--json {STANDS}"),
)
def test_unknown_flag_is_told_where_it_goes_also_behind_code(line: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        bound(line)
    assert refused.value.message.startswith("Unknown flag: --")
    assert refused.value.hint.splitlines()[0] == hint


WRONG = f"""click --double=yes @e1 | click @e1 --button up | click @e1 > button | click @e1 >>
click @x >> p | cookie-set a - | cookie-set a b --expires soon | design-generate new.gif A | diff-image | diff-image a --mask 0,0,0,5
diff-image a --threshold 2 | diff-image a --threshold x | goto http:// | goto http://[::1 | goto http://a:99999/ | header Cookie a | header Host a
header X: y | header X-A b --origin a:x | http-auth ann | http-auth ann password | init-script - --remove 1 | links --check --crawl 0
links --check --crawl 501 | load-html | newtab a b | newtab http:// | newtab --name 2 | newtab --name @e1 | newtab --name t2 | screenshot h1 --page 1
screenshot --clip | screenshot --clip 0,0,10 | screenshot --max-side -1 | screenshot --max-side x | screenshot --quality 0 | screenshot --quality 101 a.jpg
scroll down much | scroll down --times 0 | security --fail-on worst | snapshot -iz | storage unset a | tab | tab x.y | tab 0 | tab -1 | tab 2x | text main nav
text --maxx 3 | throttle 9g | throttle --latency x | throttle --cpu 0 | throttle --cpu 101 | upload #one | useragent ünï | useragent {"x" * 1001}
viewport 1x1 --scale 2 --scale 3 | viewport 1x1 --scale 0 | viewport 1x1 --scale -1 | viewport 1x1 --scale x | viewport 1x1 --scale 9 | viewport 1x1 --scale nan
viewport 1x1 --scale inf | pdf h1 | pdf a.pdf --format A9 | diff | diff http://a.b | film-start a.webm --fps 90 | wait #a soon | wait #a -5 | wait --hidden | wait 300001"""


@each(WRONG.replace("\n", " | ").split(" | "))
def test_wrong_words_show_the_usage(line: str) -> None:
    with pytest.raises(UsageError) as failure:
        bound(line)
    assert "Usage: gbrowse " in failure.value.hint


@each_row(
    ("board-answer", ["x", "-1", "0", "1" * 30], "is no number of a board"),
    ("click @e1 --modifiers", ["", " , "], "Modifiers: Shift, Control"),
    ("console --level", ["warnin"], "Did you mean warning?"),
    ("drag #b 1,1 --at", ["here"], "Write x,y"),
    ("goto", ["", "   ", "http://exa mple.com\n/x"], "Usage: gbrowse goto"),
    ("is", ["visibel"], "Did you mean visible?"),
    ("load-html", ["<h1>Hi</h1>"], "load-html takes a file, or HTML on standard input"),
    ("load-html", ["https://example.com/a.html"], "https://example.com/a.html is an address"),
    ("load-html", ["-"], "Nothing was piped in for '-'"),
    ("perf --budget", ["fast"], "is no limit of"),
    ("route --abort", ["", " "], "'**' means all requests"),
    ("press", ["Entr"], "Did you mean Enter?"),
    ("press", ["Enter+a"], "is not a modifier"),
    ("responsive", ["", ".", "shots/"], "how the names of the pictures begin"),
    ("screenshot", ["h1"], "css=h1"),
    ("useragent", ["a\nb"], "printable ASCII"),
    ("viewport 1x1 --scale", [""], "is not a device scale factor"),
)
def test_wrong_word_says_what_is_right(line: str, words: list[str], said: str) -> None:
    for word in words:
        with pytest.raises(UsageError) as failure:
            bound(line, word)
        assert said in failure.value.message + failure.value.hint


def test_a_dash_is_what_was_piped_in_where_a_command_takes_that() -> None:
    piped = HERE._replace(stdin="1 + 1")
    assert bind(find(REGISTRY, "eval"), ["-"], piped).positional == ["1 + 1"]
    assert bind(find(REGISTRY, "chain"), ["--keep-going"], piped).positional == ["1 + 1"], "it needs no dash"
    assert bind(find(REGISTRY, "chain"), ["url"], piped).positional == ["url"]
    assert bind(find(REGISTRY, "press"), ["-"], piped).positional == ["-"], "a key"
    with pytest.raises(UsageError, match="Nothing was piped in"):
        bound("eval -")


def test_secret_values_are_known_and_the_nearest_command_named() -> None:
    assert bound("fill @e1", "hunter2 secret").secrets == ["hunter2 secret"]
    assert [bound(f"connect {word}").secrets for word in ("9222", "auto")] == [[], []]
    assert bound("connect ws://127.0.0.1:9222/").secrets == ["ws://127.0.0.1:9222/"]
    with pytest.raises(UnknownCommand) as failure:
        find(REGISTRY, "Snapshott")
    assert failure.value.hint.startswith("Did you mean 'snapshot'?")


assert commands


def fields(word: str, workspace: Path) -> list[FormField]:
    return list(bind(find(REGISTRY, "fill-form"), [word], CallerPaths(workspace, workspace)).positional[0])


def test_values_of_every_kind_are_read_in_their_order_and_secret_or_refused(tmp_path: Path) -> None:
    (tmp_path / "cv.pdf").touch()
    found = fields(
        '{"#b": "text", "@e1": 1.50, "#c": true, "#d": [], "#e": ["x", 2], "#f": {"file": "cv.pdf"}}', tmp_path
    )
    assert found[:5] == [("#b", "text"), ("@e1", "1.50"), ("#c", True), ("#d", ()), ("#e", ("x", "2"))]
    files = found[5].value
    assert isinstance(files, Files)
    assert files.paths == [tmp_path / "cv.pdf"]
    word = '{"#user": "ann@example.com", "#pass": "hunter22", "#agree": true}'
    expected = ["ann@example.com", "hunter22"]
    assert bind(find(REGISTRY, "fill-form"), [word], CallerPaths(tmp_path, tmp_path)).secrets == expected
    for malformed in ('{"#a": NaN}', '{"@x": "x"}', '{"#a": {"file": true}}'):
        with pytest.raises(UsageError):
            fields(malformed, tmp_path)
