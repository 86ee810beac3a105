"""Test how typed targets are translated into selectors of Playwright's engines."""

import pytest

from gstack_browse.browser.input.selectors import as_printed, for_playwright, label, parts
from gstack_browse.errors import UsageError


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


UNWRITTEN = "css=input:is([type=submit], [type=reset]):not([value])"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ('role=button[name="GO ON"]', ["gbrowse=role:button >> gbrowse=isNamed:GO%20ON"]),
        ("role=button[ name = GO ][pressed]", ["role=button[pressed] >> gbrowse=isNamed:GO"]),
        (
            'role=tab[selected][name="A \\"B\\" ]" s] >> nth=0',
            ["role=tab[selected] >> gbrowse=isNamed:A%20%22B%22%20%5D >> nth=0"],
        ),
        (
            'text="A >> b"',
            [
                "gbrowse=textIs:A%20%3E%3E%20b",
                f"{UNWRITTEN} >> gbrowse=isNamed:A%20%3E%3E%20b",
            ],
        ),
        ("'A'", ["gbrowse=textIs:A", f"{UNWRITTEN} >> gbrowse=isNamed:A"]),
        (
            'role=link[name="B"]',
            ["gbrowse=role:link >> gbrowse=isNamed:B", "css=area[href] >> gbrowse=isNamed:B"],
        ),
        ('form >> label="É  b"', ['form >> internal:label="É  b"i >> gbrowse=isNamed:%C3%89%20b']),
        ("role=button[name=/go/]", []),
        ('role=button[name="go" i]', []),
        ("role=button", ["gbrowse=role:button"]),
        (
            "form >> text=Go",
            ["form >> gbrowse=textHas:Go", f"form >> {UNWRITTEN} >> gbrowse=isNamedWith:Go"],
        ),
        ("text=/go/", []),
        ("text=Go >> visible=true", ["gbrowse=textHas:Go >> visible=true"]),
        ("label=Go", []),
        ("#go", []),
    ],
)
def test_names_as_they_are_printed(typed: str, meant: list[str]) -> None:
    assert as_printed(typed) == meant


@pytest.mark.parametrize(
    "typed", ["text=", "text= ", 'text=""', "''", "a >> text=//", "p:has-text( '' )", ':text("")']
)
def test_no_words_are_no_text(typed: str) -> None:
    with pytest.raises(UsageError, match="no words"):
        for_playwright(typed)


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
def test_selector_of_a_label_alone_is_parsed_into_label_and_exactness(
    typed: str, asked: dict[str, object] | None
) -> None:
    assert label(typed) == asked
