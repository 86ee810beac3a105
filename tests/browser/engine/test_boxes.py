"""Test where references are in the viewport, for the annotated picture."""

from unittest.mock import AsyncMock

import pytest

from tests.browser.conftest import Show

pytestmark = pytest.mark.same_session


async def test_covered_element_has_no_box(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    refs = (
        await show("""<button>Seen</button><button id=c>Covered</button><div style='height:2000px'></div><button>Below</button>
        <script>const r = c.getBoundingClientRect(); document.body.insertAdjacentHTML('beforeend',
        `<div style='position:fixed;background:#000;left:${r.x}px;top:${r.y}px;width:99px;height:99px'></div>`)</script>""")
    ).refs
    tree = await refs.take_snapshot()
    boxes = await refs.boxes(tree, [line for line in range(len(tree)) if tree.nodes[line]])
    asked = AsyncMock(wraps=refs._documents.boxes)
    monkeypatch.setattr(refs._documents, "boxes", asked)
    of_refs = await refs.boxes_of([*tree.refs(list(boxes)), "@e999"])
    assert [tree.names[line] for line in boxes] == ["Seen", "Below"]
    assert list(boxes.values())[1][1] > 2000
    assert list(of_refs.values()) == list(boxes.values())
    assert asked.await_count == 1, "one round trip for a document"
