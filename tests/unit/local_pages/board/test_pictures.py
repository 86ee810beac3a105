from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from gstack_browse.errors import FileFailed
from gstack_browse.local_pages.board import pictures
from gstack_browse.local_pages.board.pictures import SVG, BoardPicture
from tests.each import each, each_row


def png(width: int, height: int, kind: str = "PNG") -> bytes:
    file = BytesIO()
    Image.new("1" if kind == "PNG" else "RGB", (width, height)).save(file, kind)
    return file.getvalue()


def saved(folder: Path, **files: bytes) -> list[Path]:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [Path(folder.resolve(), name) for name in files]


def test_kind_and_size_of_a_picture_are_read_from_its_content(tmp_path: Path) -> None:
    svg = b"<?xml version='1.0'?>\n<!-- x -->\n<svg xmlns='http://www.w3.org/2000/svg'/>"
    files = saved(tmp_path, a=png(4, 3), b=png(5, 2, "JPEG"), c=svg, d=png(6, 1, "WEBP"))
    found = pictures.read_pictures(files)
    assert [(each.label, each.kind, each.width, each.height) for each in found] == [
        ("A", "image/png", 4, 3),
        ("B", "image/jpeg", 5, 2),
        ("C", SVG, 0, 0),
        ("D", "image/webp", 6, 1),
    ]
    assert len(found[0].digest) == 64


@each(
    [
        b"",
        b"text",
        b"<html><svg>",
        b"%PDF-1.7",
        png(9, 9)[:20],
        png(9, 9)[:-20] + b"x" * 20,
        png(9, 9)[:8] + b"\xff" * 100,
    ]
)
def test_file_that_is_no_picture_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(FileFailed, match=r"^a is no picture that can be shown, or is damaged$"):
        pictures.read_pictures(saved(tmp_path, a=content))


def test_pictures_too_large_for_a_board_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pictures.read_pictures(saved(tmp_path, a=png(8000, 5000)))[0].width == 8000
    with pytest.raises(FileFailed, match="too large for a board: 10000x9000 pixels"):
        pictures.read_pictures(saved(tmp_path, b=png(10_000, 9_000)))
    monkeypatch.setattr(pictures, "MOST_BYTES", 150)
    with pytest.raises(FileFailed, match="together"):
        pictures.read_pictures(saved(tmp_path, a=png(4, 3), b=png(4, 3), c=png(4, 3)))


@each_row(
("home-mobile.png", 1280, "phone"), ("Tablet_2.png", 390, "tablet"), ("a-desktop.png", 100, "browser"),
     ("a.png", 390, "phone"), ("a.png", 768, "tablet"), ("a.png", 1280, "browser"), ("a.svg", 0, "browser"),
     ("microphone.png", 1280, "browser"),
)  # fmt: skip
def test_the_frame_follows_name_and_width(name: str, width: int, device: str) -> None:
    assert BoardPicture("A", Path(name), b"", "image/png", width, width).device == device
