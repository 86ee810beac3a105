from gstack_browse.browser.reading.read import find_differing_styles

PLAIN = {
    "color": "rgb(0, 0, 0)", "display": "block", "margin": "0px", "margin-top": "0px", "margin-bottom": "0px", "border": "0px none rgb(0, 0, 0)",
    "border-top-color": "rgb(0, 0, 0)", "outline-color": "rgb(0, 0, 0)", "inline-size": "784px", "width": "784px", "transform": "none",
    "transform-origin": "392px 0px", "-webkit-user-modify": "read-only", "border-width": "0px",
}  # fmt: skip


def test_only_styles_that_differ_and_are_not_derived_are_told() -> None:
    assert find_differing_styles(PLAIN, PLAIN) == []
    own = PLAIN | {
        "color": "rgb(1, 2, 3)", "border": "0px none rgb(1, 2, 3)", "border-top-color": "rgb(1, 2, 3)", "outline-color": "rgb(1, 2, 3)",
        "inline-size": "100px", "width": "100px", "transform-origin": "50px 0px", "-webkit-user-modify": "x",
    }  # fmt: skip
    assert find_differing_styles(own, PLAIN) == [("color", "rgb(1, 2, 3)"), ("width", "100px")]
    assert ("transform-origin", "50px 0px") in find_differing_styles(own | {"transform": "matrix(1)"}, PLAIN)
    assert find_differing_styles(PLAIN | {"margin": "4px 0px", "margin-top": "4px"}, PLAIN) == [
        ("margin", "4px 0px")
    ]
    sides = {"border": "", "border-width": "1px 0px", "border-top-width": "1px"}
    assert find_differing_styles(PLAIN | sides, PLAIN) == [("border-width", "1px 0px")]
