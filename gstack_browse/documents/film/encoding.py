"""Write the pictures of a film as WebM (VP9, by the library `av`), or as an animated WebP (by Pillow).

Each picture lasts until the next one. The last one is written twice, so that players see how long it was there.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, BinaryIO

from PIL import Image

from gstack_browse.documents.film.timeline import Moment, Note

_OPTIONS = {
    "deadline": "realtime",
    "cpu-used": "8",
    "crf": "32",
    "tune-content": "screen",
    "lag-in-frames": "0",
}
_KEY_PICTURES = 60
"""A picture in so many can be shown without those before it: a player goes to it at once."""
Draw = Callable[[Moment], Image.Image]
Progress = Callable[[int], None]
"""Is told how many pictures are written."""


def write_film(
    out: BinaryIO,
    moments: Sequence[Moment],
    draw: Draw,
    *,
    suffix: str,
    fps: int,
    seconds: float,
    size: tuple[int, int],
    notes: Sequence[Note],
    progress: Progress,
) -> None:
    """Encode a film as WebM or WebP into `out`. Raises OSError; ImportError without the codec.

    `moments`: frames that differ from the one before. `draw`: returns the picture of one. `suffix`: `.webm` or `.webp`. `seconds`:
    length of the film. `size`: (width, height) in pixels. `notes`: become chapters of a WebM. `progress`: called with the number of
    pictures that are written.
    """
    last = max(math.ceil(seconds * fps - 0.01), 1) - 1
    times = [moment.tick for moment in moments]
    shown = list(moments)
    if last > times[-1]:
        times.append(last)
        shown.append(moments[-1])
    if suffix == ".webm":
        pictures = zip(times, _draw_all(shown, draw, progress), strict=True)
        _write_webm(out, pictures, fps, size, _list_chapters(notes, seconds))
    else:
        lengths = [
            round(1000 * (after - at) / fps) for at, after in zip(times, [*times[1:], last + 1], strict=True)
        ]
        _write_webp(out, _draw_all(shown, draw, progress), lengths, size)


def _draw_all(moments: Sequence[Moment], draw: Draw, progress: Progress) -> Iterator[Image.Image]:
    """Yield each moment (frame of the film) drawn. Call `progress` with the number of those before it."""
    for count, moment in enumerate(moments):
        progress(count)
        yield draw(moment)


def _list_chapters(notes: Sequence[Note], seconds: float) -> list[dict[str, Any]]:
    """Return a chapter for each note, in the codec's form. It lasts until the next note or the film's end."""
    times = [round(1000 * min(each, seconds)) for each in (*(note.at for note in notes), seconds)]
    return [
        {
            "id": number + 1,
            "start": times[number],
            "end": times[number + 1],
            "time_base": Fraction(1, 1000),
            "metadata": {"title": note.text},
        }
        for number, note in enumerate(notes)
    ]


def _write_webm(
    out: BinaryIO,
    pictures: Iterator[tuple[int, Image.Image]],
    fps: int,
    size: tuple[int, int],
    chapters: list[dict[str, Any]],
) -> None:
    """Encode pictures as VP9 with chapters.

    `pictures`: pairs of tick (time in units of 1/fps) and picture.
    """
    import av

    video_frame: Any = av.VideoFrame
    with av.open(out, "w", format="webm") as container:
        container.set_chapters(chapters)  # type: ignore[arg-type]
        stream: Any = container.add_stream("libvpx-vp9", rate=fps, options=_OPTIONS)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.codec_context.gop_size = _KEY_PICTURES
        stream.codec_context.thread_count = 1
        for tick, picture in pictures:
            frame = video_frame.from_image(picture)
            frame.pts, frame.time_base = tick, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


class _Pictures(Image.Image):
    """An image of several pictures for Pillow's writer, which goes through them once, in order."""

    def __init__(self, pictures: Iterator[Image.Image], count: int, size: tuple[int, int]) -> None:
        super().__init__()
        self._mode, self._size = "RGB", size
        self.n_frames = count
        self._pictures = pictures
        self._at = -1

    def seek(self, frame: int) -> None:
        """Go to the picture with index `frame`: the present or the next one. Called by Pillow's writer."""
        if frame > self._at:
            self._at = frame
            self.im = next(self._pictures).im

    def tell(self) -> int:
        """Return the index of the current picture. Called by Pillow's writer."""
        return max(self._at, 0)


def _write_webp(
    out: BinaryIO, pictures: Iterator[Image.Image], lengths: Sequence[int], size: tuple[int, int]
) -> None:
    """Write an animated WebP. `lengths`: how long each picture is shown, in milliseconds."""
    if len(lengths) == 1:  # Pillow's writer of animations does not go to the first of one
        next(pictures).save(out, "WEBP", quality=60)
        return
    image = _Pictures(pictures, len(lengths), size)
    image.save(out, "WEBP", save_all=True, duration=list(lengths), quality=60, method=0, kmin=30, kmax=60)
