"""Puts a run into `docs/performance.md`: its figures, the tables between two marks, and the plot."""

from pathlib import Path

from tests.bench.figures import Figures, from_json
from tests.bench.plot import svg
from tests.bench.report import text
from tests.regions import fill_region

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = DOCS / "performance.md"
FIGURES = DOCS / "performance/figures.json"
PLOT = DOCS / "performance/plot.svg"
BEGIN, END = "<!-- written by bin/bench --write-docs -->\n", "<!-- until here -->\n"


def write(figures: Figures) -> None:
    """Keep the figures, and make from them what the document shows."""
    FIGURES.parent.mkdir(exist_ok=True)
    FIGURES.write_text(figures.to_json(), encoding="utf-8")
    for path, content in document_texts().items():
        path.write_text(content, encoding="utf-8")


def document_texts() -> dict[Path, str]:
    """Return the texts of the document and the plot, from the figures that lie beside them."""
    figures = from_json(FIGURES.read_text(encoding="utf-8"))
    plot = PLOT.relative_to(DOCS)
    measured = f"```text\n{text(figures)}\n```\n\n![Ratios and growth]({plot})\n"
    return {DOCUMENT: fill_region(DOCUMENT, BEGIN, END, measured), PLOT: svg(figures)}
