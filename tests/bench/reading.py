"""Measure reading: a page without a browser, a long PDF, an error with and without a source map.

Each is a command as the shell sees it, from a server in this process: `bin/bench reading`.
"""

import argparse
import statistics
from collections.abc import Sequence

from tests.bench.contestants import Contestant, entered, gbrowse
from tests.commands.web import TYPES, Web
from tests.pdf_files import Sheet, lines, pdf
from tests.source_map_files import source_map

ROUNDS, PDF_ROUNDS = 20, 10
STORY = "The harbour of the town floods again this year, and more often than it did before, as people say. " * 4
ARTICLE = f"<html><title>Floods</title><nav>Menu</nav><article>{f'<h2>Part</h2><p>{STORY}</p>' * 100}</article></html>"
CODE = "const fail = () => {null.x};\n"
PAGES = 100


def main(words: Sequence[str]) -> None:
    """Print a line for each measurement."""
    argparse.ArgumentParser(prog="bin/bench reading", description=__doc__).parse_args(words)
    TYPES[".pdf"] = "application/pdf"
    web = Web()
    try:
        with entered(gbrowse()[0]) as one:
            _measure(web, one)
    finally:
        web.close()


def _measure(web: Web, one: Contestant) -> None:
    document = pdf(*(Sheet(lines(*[STORY[:90]] * 40)) for _ in range(PAGES)))
    web.pages["/report.pdf"] = document, {}  # type: ignore[assignment]
    article = web.show(ARTICLE)
    plain, mapped = (_failing_page(web, named) for named in ("", "//# sourceMappingURL=/app.js.map"))
    web.pages["/app.js.map"] = source_map(["src/app.ts"], [(0, at, 0, at, 0) for at in range(28)]), {}
    one.must("read", article)  # what few commands need is imported
    times = [one.must("read", article).ms for _ in range(ROUNDS)]
    _print(f"read a page of {len(ARTICLE) // 1000} kB", times)
    times = [one.must("goto", f"{web.url}/report.pdf").ms for _ in range(PDF_ROUNDS)]
    _print(f"goto a PDF of {PAGES} pages", times)
    for name, page in (("without a source map", plain), ("with one", mapped)):
        times = []
        for _ in range(ROUNDS):
            one.must("goto", page)
            times.append(one.must("click", "button").ms)
        _print(f"click, and an error {name}", times)


def _failing_page(web: Web, named: str) -> str:
    return web.show(
        f"<script src='{web.script('app.js', CODE + named)}'></script><button onclick='fail()'>Go</button>"
    )


def _print(name: str, times: Sequence[float]) -> None:
    print(f"{name:<40} {statistics.median(times):7.1f} ms, at most {max(times):.1f}")
