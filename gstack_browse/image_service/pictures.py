"""Read pictures to send to a service, and save those it returns, in the format of the file's name."""

import base64
import re
from io import BytesIO
from pathlib import Path

from gstack_browse.errors import FileFailed, ServiceFailed
from gstack_browse.files import open_to_read, write_whole
from gstack_browse.image_service.connection import Upload
from gstack_browse.snapshot import picture_difference
from gstack_browse.workspace import shown

MOST_SENT_BYTES = 20_000_000
MOST_OF_A_NAME = 1_000
_KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp"}
_SUFFIXES = {".png": "png", ".webp": "webp"}


def read_upload(path: Path) -> Upload:
    """Read a picture to send. Raises FileFailed for anything but a picture of limited size, and Refused."""
    name = shown(path.name)
    with open_to_read(str(path)) as file:
        content = file.read(MOST_SENT_BYTES + 1)
    if len(content) > MOST_SENT_BYTES:
        raise FileFailed(f"{name} is too large to send: more than {MOST_SENT_BYTES // 1_000_000} MB")
    picture_difference.open_picture(content, name)  # send nothing but pictures
    kind = _detect_format(content)
    return Upload(f"picture.{kind}", f"image/{kind}", content)


def to_data_url(upload: Upload) -> str:
    """Return the picture as a `data:` URL."""
    return f"data:{upload.kind};base64,{base64.b64encode(upload.content).decode()}"


def save_picture(content: bytes, path: Path) -> tuple[int, int]:
    """Save a service's picture in the format of the file's name. Return its size.

    Raises ServiceFailed, FileFailed and Refused.
    """
    try:
        picture = picture_difference.open_picture(content, "The picture")
    except FileFailed as error:
        raise ServiceFailed(f"The image service sent no picture: {error.message}", "Try again") from None
    wanted = _SUFFIXES.get(path.suffix.lower(), "jpeg")
    if _detect_format(content) != wanted:
        out = BytesIO()
        picture.save(out, wanted.upper())
        content = out.getvalue()
    write_whole(str(path), content)
    return picture.size


def next_version_path(path: Path) -> Path:
    """Return the next unused path in the series `a.png`, `a-2.png`, `a-3.png`."""
    stem, number = path.stem, 1
    if match := re.fullmatch(r"(.+)-([0-9]{1,4})", stem):
        stem, number = match[1], int(match[2])
    for following in range(number + 1, number + MOST_OF_A_NAME):
        found = path.with_name(f"{stem}-{following}{path.suffix}")
        if not found.exists() and not found.is_symlink():
            return found
    raise FileFailed(f"There are too many versions of {shown(path.name)}")


def _detect_format(content: bytes) -> str:
    return next((kind for begins, kind in _KINDS.items() if content.startswith(begins)), "png")
