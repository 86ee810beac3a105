from io import BytesIO

import pytest
from PIL import Image

from gstack_browse.snapshot.annotate import annotate


@pytest.mark.parametrize(("kind", "signature"), [("JPEG", b"\xff\xd8"), ("WEBP", b"RIFF")])
def test_picture_with_a_box_outside_is_unchanged_and_of_its_kind(kind: str, signature: bytes) -> None:
    """Boxes inside: tests/commands/test_snapshot.py."""
    out = BytesIO()
    Image.new("RGB", (100, 100), "white").save(out, "PNG")
    boxes = {"@e1": (0.0, 500.0, 10.0, 10.0), "@e2": (-50.0, 0.0, 10.0, 10.0)}
    picture = annotate(out.getvalue(), boxes, width=100, kind=kind)
    assert picture.startswith(signature)
    assert Image.open(BytesIO(picture)).convert("RGB").getcolors() == [(10_000, (255, 255, 255))]
