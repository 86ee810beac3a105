import json
from typing import Any

from gstack_browse.browser.auditing.vitals import element_ids, render_json, render_lines

NOTHING: dict[str, Any] = {
    **dict.fromkeys(("LCP", "CLS", "INP", "FCP", "TTFB")),
    "tasks": {"count": 0, "blocked": 0, "longest": 0},
    "frames": [],
    "isLoaded": True,
    "isNew": True,
}
LARGEST = {"value": 1240.4, "rating": "good", "node": 7, "tag": "img", "url": "http://a/shoe.jpg?x=1",
           "timeToFirstByte": 80, "resourceLoadDelay": 0, "resourceLoadDuration": 600, "elementRenderDelay": 250}  # fmt: skip


def named(node: int) -> str:
    return f"@e{node}"


def first(**told: object) -> str:
    return render_lines({**NOTHING, **told}, named)[0]


def test_the_largest_paint_says_what_it_waited_for() -> None:
    assert " ".join(first(LCP=LARGEST).split()) == (
        "LCP 1,240 ms good @e7 <img>: first byte 80 + loading 600 + until drawn 250 a/shoe.jpg"
    )
    assert "<img> that is gone: " in first(LCP={**LARGEST, "node": 0})
    assert element_ids({**NOTHING, "LCP": LARGEST}) == [7]
    assert json.loads(render_json({**NOTHING, "LCP": LARGEST}, named))["LCP"]["element"] == "@e7"
