from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from gstack_browse.errors import FileFailed
from gstack_browse.snapshot.picture_difference import Region, compare, describe_regions, open_picture

WHITE = Image.new("RGB", (200, 120), "white")


@given(st.lists(st.tuples(st.integers(0, 199), st.integers(0, 119)), min_size=1, max_size=12, unique=True))
def test_every_pixel_that_differs_is_in_a_region_and_counted(points: list[tuple[int, int]]) -> None:
    other = WHITE.copy()
    for point in points:
        other.putpixel(point, (255, 0, 255))
    found = compare(WHITE, other, threshold=0.01)
    assert round(found.share * 200 * 120) == len(points)
    for x, y in points:
        assert any(r.x <= x < r.x + r.width and r.y <= y < r.y + r.height for r in found.regions)
    for region in found.regions:  # no larger than what differs in it
        assert any(x == region.x for x, _ in points)
        assert any(y == region.y + region.height - 1 for _, y in points)


def test_differences_are_separate_regions_described_by_what_differs_in_them() -> None:
    other = WHITE.copy()
    other.paste("black", (10, 10, 30, 20))
    other.paste("black", (150, 100, 155, 105))
    assert compare(WHITE, other, threshold=0).regions == [Region(10, 10, 20, 10), Region(150, 100, 5, 5)]
    button = WHITE.copy()
    button.paste("#006644", (10, 10, 190, 40))
    worded = button.copy()
    for x in range(12, 188, 8):
        worded.paste("#ffffff", (x, 12, x + 2, 38))
    [region] = compare(button, worded, threshold=0).regions
    assert describe_regions(button, worded, [region], threshold=0) == [f"{region}  top, #006644 → #ffffff"]


def test_a_difference_of_size_or_of_everything_is_described() -> None:
    for other, described_as in (
        (Image.new("RGB", (200, 200), "white"), "0,120,200,80  bottom, nothing → #ffffff"),
        (Image.new("RGB", WHITE.size, "black"), "nearly all, #ffffff → #000000"),
    ):
        found = compare(WHITE, other, threshold=0)
        assert describe_regions(WHITE, other, found.regions, threshold=0)[0].endswith(described_as)


def test_a_share_is_never_said_to_be_none_or_all() -> None:
    shares = {0: "0 %", 1: "less than 0.01 %", 240: "1 %", 23_999: "99.99 %", 24_000: "100 %"}
    for pixels, shown in shares.items():
        other = Image.frombytes("RGB", WHITE.size, b"\0" * 3 * pixels + b"\xff" * 3 * (24_000 - pixels))
        assert compare(WHITE, other, threshold=0).share_text == shown


@given(st.binary(max_size=200), st.integers(0, 80))
def test_a_damaged_file_is_only_that(noise: bytes, at: int) -> None:
    out = BytesIO()
    WHITE.save(out, "PNG")
    content = out.getvalue()
    try:
        open_picture(content[:at] + noise + content[at + len(noise) :], "a.png")
    except FileFailed as error:
        assert error.message.startswith("a.png is")  # noqa: PT017 -- it may as well be readable
