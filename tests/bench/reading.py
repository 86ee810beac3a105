"""Measure reading: a page without a browser, a long PDF, an error with and without a source map.

bin/bench reading
bin/bench reading --rounds 50

Each is a command as the shell sees it, from a server in this process.
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench.contestants import gbrowse
from tests.commands.web import TYPES, Web
from tests.pdf_files import Sheet, lines, pdf
from tests.source_map_files import source_map

ROUNDS = 20
STORY = "The harbour of the town floods again this year, and more often than it did before, as people say. " * 4
ARTICLE = f"<html><title>Floods</title><nav>Menu</nav><article>{f'<h2>Part</h2><p>{STORY}</p>' * 100}</article></html>"
CODE = "const fail = () => {null.x};\n"
PAGES = 100


def main(words: Sequence[str]) -> None:
    """Print a line for each measurement."""
    parser = argparse.ArgumentParser(prog="bin/bench reading", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"times each command is run (default {ROUNDS})"
    )
    rounds = parser.parse_args(words).rounds
    TYPES[".pdf"] = "application/pdf"
    web = Web()
    try:
        with tempfile.TemporaryDirectory(prefix="gbrowse-bench-") as folder:
            (Path(folder) / ".git").mkdir()
            _measure(web, _runner(Path(folder)), rounds)
    finally:
        web.close()


def _measure(web: Web, run: Callable[..., None], rounds: int) -> None:
    document = pdf(*(Sheet(lines(*[STORY[:90]] * 40)) for _ in range(PAGES)))
    web.pages["/report.pdf"] = document, {}  # type: ignore[assignment]
    article = web.show(ARTICLE)
    plain, mapped = (_failing_page(web, named) for named in ("", "//# sourceMappingURL=/app.js.map"))
    web.pages["/app.js.map"] = source_map(["src/app.ts"], [(0, at, 0, at, 0) for at in range(28)]), {}
    try:
        run("read", article)  # what few commands need is imported
        _print(f"read a page of {len(ARTICLE) // 1000} kB", _times(rounds, lambda: run("read", article)))
        _print(
            f"goto a PDF of {PAGES} pages",
            _times(min(rounds, 10), lambda: run("goto", f"{web.url}/report.pdf")),
        )
        for name, page in (("without a source map", plain), ("with one", mapped)):
            times = []
            for _ in range(rounds):
                run("goto", page)
                times += _times(1, lambda: run("click", "button"))
            _print(f"click, and an error {name}", times)
    finally:
        run("stop")


def _failing_page(web: Web, named: str) -> str:
    return web.show(
        f"<script src='{web.script('app.js', CODE + named)}'></script><button onclick='fail()'>Go</button>"
    )


def _runner(workspace: Path) -> Callable[..., None]:
    program = gbrowse()[0].program

    def run(*words: str) -> None:
        subprocess.run([*program, *words], cwd=workspace, check=True, stdout=subprocess.DEVNULL)

    return run


def _times(rounds: int, work: Callable[[], object]) -> list[float]:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return times


def _print(name: str, times: Sequence[float]) -> None:
    print(f"{name:<40} {statistics.median(times):7.1f} ms, at most {max(times):.1f}")
