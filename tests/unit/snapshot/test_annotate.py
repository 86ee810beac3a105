"""Boxes and labels on a picture."""

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


def test_a_box_is_drawn_where_it_is_told() -> None:
    image = drawn(annotate(blank(200, 100), {"@e1": (50, 40, 60, 30)}, width=200))
    assert image.getpixel((80, 40)) == rgb(COLOURS[0])
    assert image.getpixel((50, 60)) == rgb(COLOURS[0])
    assert image.getpixel((80, 55)) == (255, 255, 255)


def test_box_is_drawn_in_device_pixels() -> None:
    image = drawn(annotate(blank(400, 200), {"@e1": (50, 40, 60, 30)}, width=200))
    assert image.size == (400, 200)
    assert image.getpixel((160, 80)) == rgb(COLOURS[0])


def test_box_outside_the_picture_is_left_out() -> None:
    boxes = {"@e1": (0.0, 500.0, 10.0, 10.0), "@e2": (-50.0, 0.0, 10.0, 10.0)}
    assert drawn(annotate(blank(100, 100), boxes, width=100)).getcolors() == [(10_000, (255, 255, 255))]


def test_annotated_picture_is_encoded_as_jpeg_or_webp() -> None:
    assert annotate(blank(9, 9), {}, width=9, kind="JPEG").startswith(b"\xff\xd8")
    assert annotate(blank(9, 9), {}, width=9, kind="WEBP").startswith(b"RIFF")
