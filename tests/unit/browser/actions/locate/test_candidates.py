"""Test how targets are taken apart before the page resolves them."""

from gstack_browse.browser.actions.locate.candidates import parse_label, parse_refusal, split_target
from tests.each import each_row


@each_row(
    ("label=Email ", {"label": "Email", "exact": False}),
    ("label='It >> is'", {"label": "It >> is", "exact": True}),
    ("label=It's", {"label": "It's", "exact": False}),
    ("label=", None),
    ("form >> label=Email", None),
    ("label=Email >> nth=0", None),
    ("#label", None),
)
def test_selector_of_a_label_alone_is_parsed_into_its_parts(
    typed: str, asked: dict[str, object] | None
) -> None:
    assert parse_label(typed) == asked


def test_selector_behind_a_ref_is_split_from_it_and_its_refusal_is_a_usage_error() -> None:
    assert split_target("@e1 >> text=a >> b") == ("@e1", "text=a >> b")
    assert split_target("@e1") == ("@e1", "")
    assert split_target("text=a >> b") == ("", "text=a >> b")
    refused = parse_refusal("Not a selector: unexpected end")
    assert refused is not None
    assert (refused.message, refused.code) == ("Not a selector: unexpected end", 2)
    assert parse_refusal("x is not a function") is None
