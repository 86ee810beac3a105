"""Web Vitals of a page, as lines and as JSON. Pure."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.text.columns import aligned_lines, counted
from gstack_browse.text.sanitise import one_line

_RATINGS = {"good": "good", "needs-improvement": "needs improvement", "poor": "poor"}
_UNMEASURED = {
    "LCP": "nothing large has been painted yet",
    "CLS": "nothing has been painted yet",
    "INP": "no interaction yet; shorter ones than 104 ms count from now on",
    "FCP": "nothing has been painted yet",
    "TTFB": "the page was not navigated to",
}
Named = Callable[[int], str]
"""Ref and name of an element by its id."""


def as_lines(told: Mapping[str, Any], named: Named) -> list[str]:
    """A line for each metric: value, rating, and what it is made of; then the longest frames."""
    rows = [_row(name, told[name], parts) for name, parts in _parts(told, named)]
    tasks = told["tasks"]
    lines = aligned_lines(rows)
    if tasks["count"]:
        lines.append(
            f"{counted(tasks['count'], 'long task')}, the longest {_ms(tasks['longest'])}; they blocked {_ms(tasks['blocked'])} in all"
        )
    if told["frames"]:
        lines.append("Longest frames:")
    return lines + [_frame(frame) for frame in told["frames"]]


def as_json(told: Mapping[str, Any], named: Named) -> str:
    """The same as an object, with the elements as they are named in lines."""

    def readable(value: Any) -> Any:
        if isinstance(value, list):
            return [readable(item) for item in value]
        if not isinstance(value, dict):
            return value
        own = {key: readable(item) for key, item in value.items() if key not in ("node", "isNew", "isLoaded")}
        return {**own, "element": named(value["node"]) if value["node"] else None} if "node" in value else own

    return json.dumps(readable(dict(told)), ensure_ascii=False, indent=1)


def nodes(told: Mapping[str, Any]) -> list[int]:
    """Ids of the elements that are named."""
    found = [told[name]["node"] for name in ("LCP", "INP") if told[name]]
    found += [item["node"] for item in told["CLS"]["moved"]] if told["CLS"] else []
    return [node for node in dict.fromkeys(found) if node]


def _row(name: str, metric: Mapping[str, Any] | None, parts: str) -> tuple[str, str, str, str]:
    if metric is None:
        return name, "–", "", _UNMEASURED[name]
    value = f"{metric['value']:.3f}".rstrip("0").rstrip(".") if name == "CLS" else _ms(metric["value"])
    return name, value, _RATINGS.get(metric["rating"], ""), parts


def _parts(told: Mapping[str, Any], named: Named) -> Iterator[tuple[str, str]]:
    """What each metric is made of."""
    yield "LCP", _largest(told["LCP"], named) if told["LCP"] else ""
    yield "CLS", _shifts(told["CLS"], named) if told["CLS"] else ""
    yield "INP", _interaction(told["INP"], named) if told["INP"] else ""
    yield "FCP", ""
    yield "TTFB", _first_byte(told["TTFB"]) if told["TTFB"] else ""


def _largest(metric: Mapping[str, Any], named: Named) -> str:
    tag = f"<{one_line(metric['tag'], 40)}>" if metric["tag"] else ""
    who = named(metric["node"]) if metric["node"] else f"{tag} that is gone" if tag else ""
    if who and tag not in who and '"' not in who:
        who = f"{who} {tag}"
    spent = _sum(
        metric,
        timeToFirstByte="first byte",
        resourceLoadDelay="until requested",
        resourceLoadDuration="loading",
        elementRenderDelay="until drawn",
    )
    return " ".join(filter(None, [f"{who}:" if who else "", spent, _address(metric["url"])]))


def _shifts(metric: Mapping[str, Any], named: Named) -> str:
    moved = ", ".join(
        f"{named(item['node'])} {item['value']:.3f} at {_ms(item['at'])}" for item in metric["moved"]
    )
    return f"moved: {moved}" if moved else ""


def _interaction(metric: Mapping[str, Any], named: Named) -> str:
    who = f" on {named(metric['node'])}" if metric["node"] else ""
    spent = _sum(metric, inputDelay="waiting", processingDuration="handlers", presentationDelay="until drawn")
    return f"{one_line(metric['kind'], 20)}{who}: {spent}".strip()


def _first_byte(metric: Mapping[str, Any]) -> str:
    return _sum(
        metric,
        waitingDuration="waiting",
        dnsDuration="DNS",
        connectionDuration="connecting",
        requestDuration="server",
    )


def _sum(metric: Mapping[str, Any], **names: str) -> str:
    """`server 80 + loading 300`, without what took no time."""
    return " + ".join(f"{name} {metric[key]}" for key, name in names.items() if metric[key])


def _frame(frame: Mapping[str, Any]) -> str:
    scripts = ", ".join(_script(item) for item in frame["scripts"])
    return f"  {_ms(frame['duration'])} at {_ms(frame['at'])}{f': {scripts}' if scripts else ''}"


def _script(item: Mapping[str, Any]) -> str:
    """`boot 180 ms localhost:3000/app.js`; what ran at the top of a script has that script's address for a name."""
    name = "" if item["name"] == item["url"] else one_line(item["name"], 60)
    return " ".join(filter(None, [name, _ms(item["duration"]), _address(item["url"])]))


def _address(url: str) -> str:
    """The path of an address, with its host where there is one."""
    if url.startswith("data:"):
        return "data:…"
    try:
        parts = urlsplit(url)
    except ValueError:
        return one_line(url, 120)
    return one_line(f"{parts.netloc}{parts.path}", 120)


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.0f} ms"
