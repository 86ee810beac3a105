from io import BytesIO

from PIL import Image

from gstack_browse.snapshot.annotate import COLOURS, annotate


def blank(width: int, height: int) -> bytes:
    out = BytesIO()
    Image.new("RGB", (width, height), "white").save(out, "PNG")
    return out.getvalue()


def drawn(picture: bytes) -> Image.Image:
    return Image.open(BytesIO(picture)).convert("RGB")


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def test_a_box_is_drawn_where_it_is_told_in_device_pixels() -> None:
    for scale in (1, 2):
        image = drawn(annotate(blank(200 * scale, 100 * scale), {"@e1": (50, 40, 60, 30)}, width=200))
        assert image.size == (200 * scale, 100 * scale)
        colours = [image.getpixel((x * scale, y * scale)) for x, y in ((80, 40), (50, 60), (80, 55))]
        assert colours == [rgb(COLOURS[0])] * 2 + [(255, 255, 255)]


def test_box_outside_the_picture_is_left_out() -> None:
    boxes = {"@e1": (0.0, 500.0, 10.0, 10.0), "@e2": (-50.0, 0.0, 10.0, 10.0)}
    assert drawn(annotate(blank(100, 100), boxes, width=100)).getcolors() == [(10_000, (255, 255, 255))]


def test_annotated_picture_is_encoded_as_jpeg_or_webp() -> None:
    assert annotate(blank(9, 9), {}, width=9, kind="JPEG").startswith(b"\xff\xd8")
    assert annotate(blank(9, 9), {}, width=9, kind="WEBP").startswith(b"RIFF")
