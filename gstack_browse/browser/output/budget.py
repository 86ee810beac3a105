"""Measure what a budget may limit: Web Vitals, phases of loading, requests and their bytes, errors."""

from typing import TYPE_CHECKING

from gstack_browse.browser.auditing import vitals
from gstack_browse.browser.reading import storage

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageSession

_KINDS = {"script": "script-bytes", "image": "image-bytes", "stylesheet": "style-bytes", "font": "font-bytes"}


async def measure(page: "PageSession") -> dict[str, float | None]:
    """Return the values by metric; None for what was not measured."""
    told, _ = await vitals.measure_vitals(page)
    timing = await storage.navigation_timing(page)
    measured: dict[str, float | None] = {
        name: told[name.upper()]["value"] if told[name.upper()] else None
        for name in ("lcp", "cls", "inp", "fcp", "ttfb")
    }
    measured |= {"domready": timing["domReady"], "load": timing["load"], "long-tasks": told["tasks"]["blocked"]}
    document = page.tab.document
    requests = [entry for entry in page.session.logs.network if entry.document == document]
    errors = sum(
        entry.is_at_least("error") for entry in page.session.logs.console if entry.document == document
    )
    measured |= {"requests": len(requests), "errors": errors, **dict.fromkeys(("bytes", *_KINDS.values()), 0.0)}
    for entry in requests:
        for name in ("bytes", _KINDS.get(entry.kind)):
            if name and entry.size > 0:
                measured[name] = (measured[name] or 0) + entry.size
    return measured
