"""Measure Web Vitals and the phases of a navigation; print them, and compare them with a budget."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gstack_browse.browser.reading import page_scripts
from gstack_browse.browser.reading.page_scripts import WEB_VITALS
from gstack_browse.errors import ActionFailed
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.table_output import align_rows
from gstack_browse.text.units import format_count

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageCommand

PHASES = ("dns", "tcp", "ssl", "ttfb", "download", "domParse", "domReady", "load")
"""Phases of a navigation, in their order."""
_RATINGS = {"good": "good", "needs-improvement": "needs improvement", "poor": "poor"}
_UNMEASURED = {
    "LCP": "nothing large has been painted yet",
    "CLS": "nothing has been painted yet",
    "INP": "no interaction timed yet; those shorter than 104 ms count from now on",
    "FCP": "nothing has been painted yet",
    "TTFB": "the page was not navigated to",
}
ElementNamer = Callable[[int], str]
"""Returns an element's ref and name by its ID."""


def render_lines(metrics: Mapping[str, Any], name_elements: ElementNamer) -> list[str]:
    """Render a line for each metric (value, rating, parts), then long tasks and the longest frames.

    `metrics`, `name_elements`: from `measure_vitals`.
    """
    rows = [
        _metric_row(name, metrics[name], parts) for name, parts in _describe_metrics(metrics, name_elements)
    ]
    tasks = metrics["tasks"]
    lines = align_rows(rows)
    if tasks["count"]:
        lines.append(
            f"{format_count(tasks['count'], 'long task')}, the longest {_format_ms(tasks['longest'])}; they blocked {_format_ms(tasks['blocked'])} in all"
        )
    if metrics["frames"]:
        lines.append("Longest frames:")
    return lines + [_render_frame(frame) for frame in metrics["frames"]]


def render_json(metrics: Mapping[str, Any], name_elements: ElementNamer) -> str:
    """Render the metrics as a JSON object, with names of elements in place of node ids."""

    def readable(value: Any) -> Any:
        if isinstance(value, list):
            return [readable(item) for item in value]
        if not isinstance(value, dict):
            return value
        own = {key: readable(item) for key, item in value.items() if key not in ("node", "isNew", "isLoaded")}
        return (
            {**own, "element": name_elements(value["node"]) if value["node"] else None}
            if "node" in value
            else own
        )

    return json.dumps(readable(dict(metrics)), ensure_ascii=False, indent=1)


def element_ids(metrics: Mapping[str, Any]) -> list[int]:
    """Return the node ids of all elements that the metrics mention."""
    found = [metrics[name]["node"] for name in ("LCP", "INP") if metrics[name]]
    found += [item["node"] for item in metrics["CLS"]["moved"]] if metrics["CLS"] else []
    return [node for node in dict.fromkeys(found) if node]


def _metric_row(name: str, metric: Mapping[str, Any] | None, parts: str) -> tuple[str, str, str, str]:
    """Return a row of the report (name, value, rating, parts). `metric`: None if it could not be measured."""
    if metric is None:
        return name, "–", "", _UNMEASURED[name]
    value = f"{metric['value']:.3f}".rstrip("0").rstrip(".") if name == "CLS" else _format_ms(metric["value"])
    return name, value, _RATINGS.get(metric["rating"], ""), parts


def _describe_metrics(metrics: Mapping[str, Any], name_elements: ElementNamer) -> Iterator[tuple[str, str]]:
    """Yield (metric's name, description of what it is made up of) for LCP, CLS, INP, FCP and TTFB."""
    yield "LCP", _describe_lcp(metrics["LCP"], name_elements) if metrics["LCP"] else ""
    yield "CLS", _describe_cls(metrics["CLS"], name_elements) if metrics["CLS"] else ""
    yield "INP", _describe_inp(metrics["INP"], name_elements) if metrics["INP"] else ""
    yield "FCP", ""
    yield "TTFB", _describe_ttfb(metrics["TTFB"]) if metrics["TTFB"] else ""


def _describe_lcp(metric: Mapping[str, Any], name_elements: ElementNamer) -> str:
    """Describe the largest contentful paint: the element, the time of each phase, the picture's address."""
    tag = f"<{one_line(metric['tag'], 40)}>" if metric["tag"] else ""
    who = name_elements(metric["node"]) if metric["node"] else f"{tag} that is gone" if tag else ""
    if who and tag not in who and '"' not in who:
        who = f"{who} {tag}"
    spent = _join_phases(
        metric,
        timeToFirstByte="first byte",
        resourceLoadDelay="until requested",
        resourceLoadDuration="loading",
        elementRenderDelay="until drawn",
    )
    return " ".join(filter(None, [f"{who}:" if who else "", spent, _shorten_url(metric["url"])]))


def _describe_cls(metric: Mapping[str, Any], name_elements: ElementNamer) -> str:
    """Describe the cumulative layout shift: what moved, by what score, when; "" if nothing moved."""
    moved = ", ".join(
        f"{name_elements(item['node'])} {item['value']:.3f} at {_format_ms(item['at'])}"
        for item in metric["moved"]
    )
    return f"moved: {moved}" if moved else ""


def _describe_inp(metric: Mapping[str, Any], name_elements: ElementNamer) -> str:
    """Describe the interaction to next paint: event, element, and the time of each phase."""
    who = f" on {name_elements(metric['node'])}" if metric["node"] else ""
    spent = _join_phases(
        metric, inputDelay="waiting", processingDuration="handlers", presentationDelay="until drawn"
    )
    return f"{one_line(metric['kind'], 20)}{who}: {spent}".strip()


def _describe_ttfb(metric: Mapping[str, Any]) -> str:
    """Describe the time to first byte by its phases: `DNS 12 + connecting 30 + server 80`."""
    return _join_phases(
        metric,
        waitingDuration="waiting",
        dnsDuration="DNS",
        connectionDuration="connecting",
        requestDuration="server",
    )


def _join_phases(metric: Mapping[str, Any], **names: str) -> str:
    """Join the phases that took time: `server 80 + loading 300`. `names`: key in `metric` → name to print."""
    return " + ".join(f"{name} {metric[key]}" for key, name in names.items() if metric[key])


def _render_frame(frame: Mapping[str, Any]) -> str:
    """Render a long animation frame: its duration, when it was, and its scripts."""
    scripts = ", ".join(_render_script(item) for item in frame["scripts"])
    return f"  {_format_ms(frame['duration'])} at {_format_ms(frame['at'])}{f': {scripts}' if scripts else ''}"


def _render_script(item: Mapping[str, Any]) -> str:
    """Render a script of a long animation frame: function, duration, URL; top-level code has no function."""
    name = "" if item["name"] == item["url"] else one_line(item["name"], 60)
    return " ".join(filter(None, [name, _format_ms(item["duration"]), _shorten_url(item["url"])]))


def _shorten_url(url: str) -> str:
    """Return a URL's host and path."""
    if url.startswith("data:"):
        return "data:…"
    try:
        parts = urlsplit(url)
    except ValueError:
        return one_line(url, 120)
    return one_line(f"{parts.netloc}{parts.path}", 120)


def _format_ms(milliseconds: float) -> str:
    """Format a duration in milliseconds."""
    return f"{milliseconds:,.0f} ms"


MOST_ITEMS = 5
"""Limit of elements that moved, and of slow frames."""
_IS_LOADED = "typeof globalThis.webVitals?.onLCP === 'function'"


async def measure_vitals(page: "PageCommand") -> tuple[dict[str, Any], ElementNamer]:
    """Measure the main document's Web Vitals. Return the metrics, and a function: node id → element name.

    Metrics: {"LCP": {"value": …, …} or None, …}, from `readVitals` in reading/scripts/vitals.js.
    """
    context = await page.world.frames.main_context()
    await page_scripts.load_library(context, WEB_VITALS, _IS_LOADED)
    answer: dict[str, Any] = await page_scripts.call_script(context, "readVitals", {"most": MOST_ITEMS})
    nodes = element_ids(answer)
    name_elements = await page.tab.refs.refs_and_names(context, nodes, is_main=True)
    words = {
        node: f"{ref} {quote_text(name, 60)}" if name else ref
        for node, (ref, name) in zip(nodes, name_elements, strict=True)
    }
    return answer, lambda node: words.get(node) or "an element that is gone"


_KINDS = {"script": "script-bytes", "image": "image-bytes", "stylesheet": "style-bytes", "font": "font-bytes"}


async def measure(page: "PageCommand") -> dict[str, float | None]:
    """Return the figures that a performance budget can limit, by name; None for what was not measured.

    These are Web Vitals (`lcp`, `cls` …) and load times in milliseconds, bytes by kind, numbers of requests and errors.
    """
    metrics, _ = await measure_vitals(page)
    timing = await navigation_timing(page)
    measured: dict[str, float | None] = {
        name: metrics[name.upper()]["value"] if metrics[name.upper()] else None
        for name in ("lcp", "cls", "inp", "fcp", "ttfb")
    }
    measured |= {
        "domready": timing["domReady"],
        "load": timing["load"],
        "long-tasks": metrics["tasks"]["blocked"],
    }
    document = page.tab.document
    requests = [entry for entry in page.context.logs.network if entry.document == document]
    errors = sum(
        entry.is_at_least("error") for entry in page.context.logs.console if entry.document == document
    )
    measured |= {"requests": len(requests), "errors": errors, **dict.fromkeys(("bytes", *_KINDS.values()), 0.0)}
    for entry in requests:
        for name in ("bytes", _KINDS.get(entry.kind)):
            if name and entry.size > 0:
                measured[name] = (measured[name] or 0) + entry.size
    return measured


async def navigation_timing(page: "PageCommand") -> dict[str, int | None]:
    """Return the milliseconds of each phase of the frame's navigation, by the names in PHASES.

    A phase that is still to come is None. Raises ActionFailed if the document did not come by a navigation.
    """
    found: dict[str, int | None] | None = await page.world.call("readNavigationTiming", frame=page.frame)
    if found is None:
        raise ActionFailed("This page was not navigated to, so there is nothing to time", "Run 'goto <url>'")
    return found
