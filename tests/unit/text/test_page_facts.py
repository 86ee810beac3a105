from gstack_browse.browser.auditing.page_facts import (
    find_problems,
    render_lines,
    render_media,
    shorten_url,
    types_of,
)
from tests.each import each_row


def metadata_with(**fields: object) -> dict[str, object]:
    nothing: dict[str, object] = dict.fromkeys(("title", "language", "charset"), "")
    return nothing | {name: [] for name in ("metas", "links", "jsonLd", "microdata")} | fields


def test_odd_metadata_is_noted_in_short() -> None:
    assert (render_lines(metadata_with()), list(find_problems(metadata_with()))) == ([], [])
    (note,) = find_problems(metadata_with(jsonLd=["[" * 100_000]))
    assert note.startswith("JSON-LD 1 is ignored: no JSON: ")
    assert types_of({"@type": {"a": 1}}) == ["{'a': 1}"]
    link = {"rel": "canonical", "href": "http://a/", "hreflang": "", "type": "", "title": "", "media": ""}
    assert list(find_problems(metadata_with(links=[link, link]))) == ["The page has 2 canonical addresses"]
    assert shorten_url("data:image/png;base64," + "A" * 1000) == "data:image/png;base64,…"


def picture(**fields: object) -> dict[str, object]:
    usual = {"kind": "image", "url": "http://a/b.png", "bytes": 0, "state": "loaded", "hasAlt": True}
    sizes = {"size": [800, 600], "shown": [800, 600]}
    return {**usual, **sizes, "isVisible": True, "isVector": False, "isLazy": False, **fields}


@each_row(
({}, "image @e1 800x600: http://a/b.png"),
        ({"shown": [200, 150], "bytes": 12000}, "image @e1 800x600 (200x150 shown), 12.0 kB: http://a/b.png  (4.0 times as wide as shown)"),
        ({"state": "loading", "isLazy": True}, "image @e1 800x600: http://a/b.png  (lazy, not loaded yet)"),
)  # fmt: skip
def test_a_picture_is_a_line(fields: dict[str, object], words: str) -> None:
    assert render_media(picture(**fields), "@e1", "") == words


def test_video_line_says_its_time_and_length() -> None:
    facts = {"seconds": 62.0, "at": 5.2, "flags": ["playing"], "tracks": ["captions \x1b[1m"]}
    video = picture(kind="video", **facts)
    said = 'video @e2 "Talk" 800x600, 5s of 1m 2s, playing, captions ␛[1m: http://a/b.png'
    assert render_media(video, "@e2", "Talk") == said
    live = render_media({**video, "seconds": -1, "at": 0, "tracks": []}, "@e2", "")
    assert live.startswith("video @e2 800x600, live, playing: ")
