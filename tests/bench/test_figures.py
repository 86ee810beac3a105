from xml.etree import ElementTree

import pytest

from tests.bench.document import FIGURES, document_texts
from tests.bench.figures import Figures, Runs, from_json, ratio
from tests.bench.plot import svg
from tests.bench.report import text

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def figures() -> Figures:
    return Figures(
        tools=["gbrowse", "Python client", "gbrowse --all", "agent-browser", "playwright-cli"],
        steps={
            "click": {
                "gbrowse": Runs([7.0, 6.0, 90.0]),
                "Python client": Runs([15.0]),
                "agent-browser": Runs([5.0, 5.0]),
                "playwright-cli": Runs([3.0], fault="no effect: the page did not notice"),
            },
            "snapshot -i, 100 rows": {
                "gbrowse": Runs([8.0], 20),
                "gbrowse --all": Runs([6.0], 70),
                "agent-browser": Runs([80.0], 3_000_000),
                "playwright-cli": Runs([40_000.0], fault="hung: no end after 40 s"),
            },
            "snapshot -i, 1,000 rows": {"gbrowse": Runs([80.0]), "agent-browser": Runs([900.0])},
        },
    )


def test_a_ratio_is_to_the_fastest_peer_that_did_it(figures: Figures) -> None:
    assert ratio(figures.steps["click"]) == 7 / 5
    assert ratio(figures.steps["snapshot -i, 100 rows"], "gbrowse --all") == 6 / 80
    assert ratio({"gbrowse": Runs([7.0]), "Python client": Runs([15.0])}) is None


def test_a_peer_that_is_faster_or_fails_is_shown_as_such(figures: Figures) -> None:
    lines = text(figures).splitlines()
    assert next(line for line in lines if line.startswith("click")).split() == [
        *("click", "7.0", "15.0", "5.0", "no", "effect", "1.40")
    ]
    assert "click: playwright-cli no effect: the page did not notice" in lines
    assert "snapshot -i, 100 rows: playwright-cli hung: no end after 40 s" in lines


def test_a_rate_taken_from_a_part_is_marked(figures: Figures) -> None:
    figures.hundred = {"one process each": {"playwright-cli": Runs([62_000.0], extrapolated=True)}}
    assert "≈ 62,000.0" in text(figures)


def test_figures_come_back_from_json(figures: Figures) -> None:
    assert from_json(figures.to_json()) == figures


def test_the_plot_has_a_bar_for_every_ratio_and_a_line_for_every_tool(figures: Figures) -> None:
    root = ElementTree.fromstring(svg(figures))
    bars = [each for each in root.iter(f"{SVG}rect") if each.get("class") != "paper"]
    assert [each.get("class") for each in bars] == ["slower", "faster", "faster"]
    assert len(list(root.iter(f"{SVG}path"))) == 2


def test_the_document_shows_the_figures_beside_it() -> None:
    for path, content in document_texts().items():
        assert path.read_text(encoding="utf-8") == content, "bin/bench --from … --write-docs makes it anew"


def test_the_tables_are_at_most_100_columns_wide() -> None:
    lines = text(from_json(FIGURES.read_text(encoding="utf-8"))).splitlines()
    assert not [line for line in lines if len(line) > 100]
