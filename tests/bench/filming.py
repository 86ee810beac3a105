"""Measure what filming costs: commands, the processor on a still page, the size of a film.

bin/bench film
bin/bench film --watched
bin/bench film --traced

Two daemons have the same page, and only the first one films, is watched by a window that draws at once, or traces. They take turns: all
commands in one, one directly after the other, as a script has them; then, after a rest, in the other. The pictures that follow the last
command fall into that rest.
"""

import argparse
import asyncio
import statistics
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from urllib.parse import urlsplit

import aiohttp

from tests.bench.contestants import Contestant, entered, gbrowse
from tests.bench.memory import daemon_of, processor_seconds, seconds_of
from tests.bench.pages import served

ROUNDS = 30
STILL_SECONDS = 10.0
REST_SECONDS = 0.5
STEPS = (
    ("goto", "{base}/news"),
    ("snapshot", "-i"),
    ("scroll", "down"),
    ("text",),
    ("goto", "{base}/form"),
    ("fill", "#email", "ann@example.org"),
    ("click", "#go"),
)


def main(words: Sequence[str]) -> None:
    """Print a line for each command, and the other figures."""
    parser = argparse.ArgumentParser(
        prog="bin/bench film", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for way in ("watched", "traced"):
        parser.add_argument(f"--{way}", action="store_const", dest="way", const=way, default="filmed")
    way = parser.parse_args(words).way
    with served() as base, ExitStack() as stack:
        both = [stack.enter_context(entered(gbrowse()[0])) for _ in range(2)]
        for one in both:
            one.must("goto", f"{base}/news")
        _begin(way, both[0])
        before = list(map(processor_seconds, both))
        _compare(both, base, way)
        used = [
            1000 * (processor_seconds(one) - seconds) / (ROUNDS * len(STEPS))
            for one, seconds in zip(both, before, strict=True)
        ]
        print(f"processor for a command, of daemon and Chromium: {way} {used[0]:.1f} ms, not {used[1]:.1f} ms")
        _measure_still(both, base, way)
        if way == "filmed":
            stopped = both[0].must("film-stop", "--sheet", "sheet.png")
            print(stopped.output.strip())
            print(f"film-stop took {stopped.seconds:.1f} s")


def _begin(way: str, one: Contestant) -> None:
    """Film, trace, or watch in a window that draws each picture at once."""
    if way == "filmed":
        one.must("film-start", "film.webm")
    elif way == "traced":
        one.must("trace-start")
    else:
        address = one.must("watch").output.split()[1]
        is_open = threading.Event()
        threading.Thread(target=lambda: asyncio.run(_watch(address, is_open)), daemon=True).start()
        if not is_open.wait(10):
            raise TimeoutError("The watch page sends no picture")


async def _watch(address: str, is_open: threading.Event) -> None:
    """Draw pictures until the daemon closes the page. Set `is_open` at the first one."""
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        async with client.get(address):
            pass
        live = f"{origin}{parts.path}live"
        async with client.ws_connect(live, headers={"Origin": origin}, max_msg_size=0) as socket:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.BINARY:
                    is_open.set()
                    await socket.send_str('{"do":"drawn"}')


def _compare(both: Sequence[Contestant], base: str, way: str) -> None:
    """Run all commands in both daemons, and in the other order the next time."""
    times: dict[tuple[str, ...], list[list[float]]] = {step: [[], []] for step in STEPS}
    for turn in range(ROUNDS):
        for which in (0, 1) if turn % 2 else (1, 0):
            for step in STEPS:
                words = (word.format(base=base) for word in step)
                times[step][which].append(both[which].must(*words).ms)
            time.sleep(REST_SECONDS)
    print(f"{'':<24} {way:>9} {'not':>9}  median of the pairs' ratios")
    ratios = []
    for step, (filmed, plain) in times.items():
        own = [one / other for one, other in zip(filmed, plain, strict=True)]
        ratios += own
        name = " ".join(word.replace("{base}", "") for word in step)
        medians = f"{statistics.median(filmed):6.1f} ms {statistics.median(plain):6.1f} ms"
        print(f"{name:<24} {medians}  {statistics.median(own):.3f}")
    print(f"{'all':<45} {statistics.median(ratios):.3f}")


def _measure_still(both: Sequence[Contestant], base: str, way: str) -> None:
    for one in both:
        one.must("goto", f"{base}/news")
    daemons = [daemon_of(one.workspace) for one in both]
    time.sleep(2)
    before = list(map(seconds_of, daemons))
    time.sleep(STILL_SECONDS)
    for name, daemon, used in zip((way, "not"), daemons, before, strict=True):
        share = 100 * (seconds_of(daemon) - used) / STILL_SECONDS
        print(f"a still page, {name}: the daemon takes {share:.1f} % of a core")
