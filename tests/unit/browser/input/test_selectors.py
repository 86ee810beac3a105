"""What people type for a target, in the words of Playwright's engines."""

import pytest

from gstack_browse.browser.input.selectors import for_playwright, label, parts


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("#go > .x", "#go > .x"),
        ("text=a >> b >> nth=1", "text=a >> b >> nth=1"),
        ("label=Email", 'internal:label="Email"i'),
        ('label="Email"', 'internal:label="Email"s'),
        ("form >> label=It's >> nth=0", 'form >> internal:label="It\'s"i >> nth=0'),
        ("placeholder=Search", 'css=[placeholder*="Search" i]'),
        ("alt='A fox'", 'css=[alt="A fox"]'),
        ('title=say "hi"\\', 'css=[title*="say \\"hi\\"\\\\" i]'),
        ("testid=save", 'css=[data-testid="save"]'),
        ('testid="save"', 'css=[data-testid="save"]'),
        ("label=a\nb", 'internal:label="a\\nb"i'),
        ("title=a\nb", 'css=[title*="a\\a b" i]'),
    ],
)
def test_our_words_become_playwright_s(typed: str, meant: str) -> None:
    assert for_playwright(typed) == meant


def test_a_selector_is_parted_outside_of_quotes() -> None:
    assert parts('text="a >> b" >> role=button[name=">>"] >> nth=1') == [
        'text="a >> b"',
        'role=button[name=">>"]',
        "nth=1",
    ]
    assert parts("p>>b") == ["p", "b"]


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("label=Email ", {"label": "Email", "exact": False}),
        ("label='It >> is'", {"label": "It >> is", "exact": True}),
        ("label=", None),
        ("form >> label=Email", None),
        ("#label", None),
    ],
)
def test_what_a_label_alone_asks_for(typed: str, asked: dict[str, object] | None) -> None:
    assert label(typed) == asked
