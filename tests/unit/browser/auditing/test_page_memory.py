from gstack_browse.browser.auditing.page_memory import (
    DetachedTrees,
    MemoryUse,
    parse_detached_trees,
    render_lines,
)


def node(name: str, *children: dict[str, object], **attributes: str) -> dict[str, object]:
    pairs = [word for pair in attributes.items() for word in pair]
    return {"localName": name, "nodeName": name.upper(), "attributes": pairs, "children": list(children)}


def test_deep_trees_are_counted() -> None:
    deep = node("b")
    for _ in range(5_000):
        deep = node("b", deep)
    assert parse_detached_trees([{"treeNode": deep}]) == [DetachedTrees("b", 1, 5_001)]
    while children := deep["children"]:
        deep = children.pop()  # type: ignore[attr-defined] # taken apart from above: Python would recurse


def test_many_kinds_are_cut() -> None:
    trees = [DetachedTrees(f"b{number}", 1, 1) for number in range(12)]
    told = render_lines(MemoryUse(1, 2, 3, 4, 5, 6, 7, trees))
    assert told[-1] == "  … 2 more kinds"
    assert told[6] == "detached nodes  12"
