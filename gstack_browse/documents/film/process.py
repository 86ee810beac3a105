"""The program that makes a film: take file on stdin, film to a descriptor, contact sheets to stdout."""

import base64
import os
import resource
import sys
import time
from contextlib import suppress
from io import BytesIO
from typing import Any

import orjson

MOST_MEMORY = 4_000_000_000
MOST_SECONDS = 900
PROGRESS_SECONDS = 5.0


def main() -> None:
    """Make a film: `process FILM_DESCRIPTOR OPTIONS`, with the take file as standard input.

    OPTIONS is a JSON object with `suffix`, `plain` and `sheet` (a format of Pillow's, or "").
    """
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        _write_line(_write_film_and_sheets(int(sys.argv[1]), orjson.loads(sys.argv[2])))
    except OSError as error:
        _write_line({"problem": error.strerror or str(error)})
    except ImportError as error:
        _write_line({"problem": f"The library {error.name} cannot be loaded", "codec": True})
    except MemoryError:
        _write_line({"problem": "It takes too much memory"})
    os._exit(0)


def _write_film_and_sheets(film_descriptor: int, options: dict[str, Any]) -> dict[str, Any]:
    """Write the film to a descriptor and print the contact sheets. The take file is standard input.

    `options`: see `main`. Return {"seconds", "actions", "pictures"}, or {"problem": message} if nothing was filmed.
    """
    from gstack_browse.documents.film.drawing import Drawer
    from gstack_browse.documents.film.encoding import write_film
    from gstack_browse.documents.film.take import NO_PICTURE, read_records
    from gstack_browse.documents.film.timeline import (
        MOST_MOMENTS,
        MOST_WEBP_MOMENTS,
        list_moments,
        read_timeline,
    )

    take = os.fdopen(os.dup(0), "rb")
    timeline = read_timeline(read_records(take))
    if not timeline.shots:
        return {"problem": NO_PICTURE}
    most = MOST_WEBP_MOMENTS if options["suffix"] == ".webp" else MOST_MOMENTS
    moments, fps = list_moments(timeline, plain=options["plain"], most=most)
    last_report = [time.monotonic()]

    def say(done: int) -> None:
        if time.monotonic() - last_report[0] > PROGRESS_SECONDS:
            last_report[0] = time.monotonic()
            _write_line({"done": done, "of": len(moments)})

    seconds = max(timeline.seconds, 1 / fps)
    with os.fdopen(film_descriptor, "wb") as film:
        write_film(
            film,
            moments,
            Drawer(take, timeline).draw,
            suffix=options["suffix"],
            fps=fps,
            seconds=seconds,
            size=(timeline.width, timeline.height),
            notes=[] if options["plain"] else timeline.notes,
            progress=say,
        )
    if options["sheet"]:
        from gstack_browse.documents.film.sheet import draw_sheets

        for sheet in draw_sheets(take, timeline):
            out = BytesIO()
            sheet.save(out, options["sheet"], quality=85)
            _write_line({"sheet": base64.b64encode(out.getvalue()).decode()})
    return {"seconds": seconds, "actions": len(timeline.actions), "pictures": len(timeline.shots)}


def _write_line(facts: dict[str, Any]) -> None:
    """Print an object as a line of JSON. A closed pipe is no error: the reader may have gone."""
    with suppress(BrokenPipeError):
        sys.stdout.buffer.write(orjson.dumps(facts) + b"\n")
        sys.stdout.buffer.flush()
