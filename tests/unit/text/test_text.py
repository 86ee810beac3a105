import pytest
from hypothesis import given

from gstack_browse.daemon.request.dispatch import colour_snapshot
from gstack_browse.registry.truncation import truncate, truncate_start
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import fence, one_line, sanitise, split_lines
from gstack_browse.text.units import format_bytes, format_count, format_duration, format_seconds
from tests.each import each, each_row
from tests.unit.hostile import hostile_text, tried


@each_row(
("plain ünï 漢字 👩‍👩‍👧", "plain ünï 漢字 👩‍👩‍👧"), ("a\tb\nc", "a\tb\nc"), ("a\r\nb", "a\nb"), ("\x1b[31mred", "␛[31mred"), ("\x00\x07\x7f", "␀␇␡"),
        ("\x9b2J", "\\u009b2J"), ("a\u202eb\u2066c\u200f", "abc"), ("\U000e0041hidden", "hidden"), ("a\u2028b\u2029c", "a b c"), ("a\x85b", "a\\u0085b"), ("\uffff", "\ufffd"), ("\ud800", "\ufffd"),
        ("over\rwrite", "over␍write"), ("\ufeffbom", "bom"),
)  # fmt: skip
def test_sanitised_text_has_no_control_characters(raw: str, safe: str) -> None:
    assert sanitise(raw) == safe
    assert sanitise(safe) == safe


@each(
    [
        "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468 1\ufe0f\u20e3 \U0001f3f3\ufe0f\u200d\U0001f308",  # emoji
        "\u0915\u094d\u200d\u0937 \u0930\u094d\u200d\u092f",  # conjuncts of Devanagari
        "\u0644\u200d\u200c\u200d\u0647 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # joins of Arabic
        "a\u0302\u0301 o\u031b\u0309",  # Vietnamese
        "\u05e9\u05c1\u05b0\u0591\u05bc\u05bd",  # Hebrew with vowels and accents
        "\U0001f600" * 50,
    ]
)
def test_marks_and_joiners_that_writing_needs_stay(text: str) -> None:
    assert sanitise(text) == text


@each_row(
    ("a" + "\u0301" * 300 + "b", "a" + "\u0301" * 10 + "[290 marks cut]b"),
    ("a" + "\ufe0f\u200d" * 40 + "b", "a\ufe0f\u200d\ufe0f[77 marks cut]b"),
    ("\u3164" * 9, "\u3164" * 3 + "[6 marks cut]"),
    ("a" + "\U0001e8d0" * 12, "a" + "\U0001e8d0" * 10 + "[2 marks cut]"),
)
def test_long_runs_of_marks_and_joiners_are_cut_and_counted(raw: str, safe: str) -> None:
    assert sanitise(raw) == safe
    assert sanitise(safe) == safe


@tried
@given(hostile_text)
def test_sanitised_text_has_no_line_but_where_a_newline_is(text: str) -> None:
    assert split_lines(text) == sanitise(text).split("\n") * bool(text)
    assert "\n".join(sanitise(text).splitlines()) == sanitise(text).removesuffix("\n")
    assert sanitise(sanitise(text)) == sanitise(text)


def test_redact_hides_passwords_in_urls_and_given_secrets() -> None:
    expected = "http://ann:[redacted]@host/a and https://b:[redacted]@d/"
    assert redact("http://ann:hunter2@host/a and https://b:c@d/") == expected
    assert redact("the value hunter2 is out", ["hunter2"]) == "the value [redacted] is out"
    assert redact("a cat", ["cat"]) == "a cat"
    innocent = "mail ann@example.com http://example.com/@ann"
    assert redact(innocent) == innocent


def test_long_text_is_cut_at_a_line_or_into_one_and_says_how_to_see_all() -> None:
    assert one_line("  a\n\t b  ") == "a b"
    assert one_line("x" * 300, 10) == "x" * 9 + "…"
    assert one_line("x" + " " * 300 + "y", 10) == "x…"
    assert one_line("x" + " " * 300, 10) == "x"
    assert one_line("") == ""
    assert truncate("short") == "short"
    assert truncate("x" * 50, 0) == "x" * 50
    cut = truncate("line\n" * 1000, 101)
    assert cut.startswith("line\n" * 10)
    assert cut.endswith("of 5000 characters; all of it: --max 5000")
    kept = truncate_start("line 1\nline 2\nline 3", 16).split("\n")
    assert kept == ["… only the last 13 of 20 characters; all of it: --max 20", "line 2", "line 3"]
    assert truncate_start("x" * 50, 10).endswith("\n" + "x" * 10)


def test_durations_sizes_and_counts() -> None:
    durations = {0: "0s", 59.9: "59s", 60: "1m 0s", 3599: "59m 59s", 3600: "1h 0m", 7325: "2h 2m"}
    assert {number: format_duration(number) for number in durations} == durations
    seconds = {0.3: "0.3s", 0.9999: "1s", 1.0: "1s", 29.9999: "30s", 1.5: "1.5s", 150: "2m 30s"}
    assert {number: format_seconds(number) for number in seconds} == seconds
    sizes = {0: "0 B", 999: "999 B", 1000: "1.0 kB", 1_500_000: "1.5 MB", 123_000_000: "123 MB"}
    assert {number: format_bytes(number) for number in sizes} == sizes
    counts = {0: "0 requests", 1: "1 request", 2: "2 requests", 1200: "1,200 requests"}
    assert {number: format_count(number, "request") for number in counts} == counts
    assert format_count(2, "entry", "entries") == "2 entries"


def test_fence_label_stands_nowhere_in_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([b"\xab" * 3, b"\xcd" * 3, b"\xef" * 3])
    monkeypatch.setattr("os.urandom", lambda count: next(drawn))
    assert fence("ab" * 3 + "cd" * 3).endswith("--- end efefef ---")


def test_a_tree_in_colour() -> None:
    text = '@e1 [button] "Go" [disabled]\n  + @c2 [generic] "a @e3 [b]"\n[text]: x'
    assert colour_snapshot(text) == (
        '\x1b[36m@e1\x1b[0m \x1b[2m[button]\x1b[0m "Go" \x1b[2m[disabled]\x1b[0m\n'
        '  + \x1b[36m@c2\x1b[0m \x1b[2m[generic]\x1b[0m "a @e3 \x1b[2m[b]\x1b[0m"\n\x1b[2m[text]\x1b[0m: x'
    )
