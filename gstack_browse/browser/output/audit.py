"""Audits what a tab shows with axe-core, in every frame of it. How that is printed is in `text/findings.py`."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, JsonValue, NoDocument, PageScriptError
from gstack_browse.browser.input.find import locate_first
from gstack_browse.browser.output import page_scripts
from gstack_browse.browser.output.libraries import AXE
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry.suggest import nearest
from gstack_browse.text.findings import AuditReport, parse_report
from gstack_browse.text.sanitise import one_line, quote_text

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

MOST_ELEMENTS = 5_000
"""Of one audit, that are told with their refs; all are counted."""
MOST_FRAMES = 100
_IS_LOADED = "typeof globalThis.axe?.runPartial === 'function'"
_TAGS = "JSON.stringify([...new Set(axe.getRules().flatMap((rule) => rule.tags))].sort())"


@dataclass
class _Audit:
    """One audit on its way through the frames, in the order in which axe-core puts their results together."""

    page: "PageSession"
    options: JsonValue
    contexts: list[ExecutionContext] = field(default_factory=list)
    partials: list[str | None] = field(default_factory=list)
    """What axe has found in each frame but the first; None for one that could not be audited."""

    async def frame(self, context: ExecutionContext, *, node: int = 0, within: JsonValue = None) -> None:
        """Audit a frame, or a node of it, and all inside; `within` is what axe has said of the frame to whoever is around it.

        Raises FrameGone, PageScriptError, or Playwright's Error.
        """
        await page_scripts.load(context, AXE, _IS_LOADED)
        number = len(self.contexts)
        how = {"number": number, "node": node, "context": within, "options": self.options}
        told = await page_scripts.run(context, "audit-frame", how)
        if told is None:
            raise FrameGone("The element is gone")
        self.contexts.append(context)
        if number:
            self.partials.append(told["partial"])
        for node, inner in told["frames"]:
            await self._inner(context, node, inner)

    async def _inner(self, context: ExecutionContext, node: int, inner: JsonValue) -> None:
        """Audit the frame that an iframe shows, or note that it could not be: axe counts on one result for each."""
        audited = len(self.contexts)
        try:
            child = (
                await self.page.world.frames.child(context, node) if node and audited < MOST_FRAMES else None
            )
            if child is None:
                raise NoDocument
            await self.frame(child, within=inner)
        except (FrameGone, PageScriptError, PlaywrightError):
            if self.page.tab.page.is_closed():
                raise
            if len(self.contexts) == audited:
                self.partials.append(None)

    @property
    def left_out(self) -> int:
        """How many frames could not be audited."""
        return self.partials.count(None)


async def audit(page: "PageSession", target: str | None, tags: list[str]) -> AuditReport:
    """What axe-core finds in an element, or in all that the frame shows; with `tags`, by the rules that have one of them.

    Raises UsageError for an unknown tag, ActionFailed where axe-core itself fails.
    """
    element = await locate_first(page, target) if target else None
    try:
        await page.tab.refs.take()
        context = await page.world.frames.context_of(element.frame if element else page.frame)
        await page_scripts.load(context, AXE, _IS_LOADED)
        await _require_tags(page, context, tags)
        run = _Audit(page, _options(tags))
        await run.frame(context, node=element.node if element else 0)
        told = await page_scripts.run(
            context,
            "finish-audit",
            {"partials": run.partials, "options": run.options, "most": MOST_ELEMENTS},
        )
        report = parse_report(told, await _named(page, run.contexts, told))
    except PageScriptError as error:
        raise ActionFailed(
            f"axe-core failed: {one_line(str(error), 300)}", "Audit a part of the page: audit main"
        ) from None
    except PlaywrightError as error:
        raise failures.translate(error) from None
    report.frames_left_out = run.left_out
    return report


def _options(tags: list[str]) -> dict[str, JsonValue]:
    """axe's own defaults, but that it need not describe what passes."""
    options: dict[str, JsonValue] = {"resultTypes": ["violations", "incomplete"]}
    return {**options, "runOnly": {"type": "tag", "values": tags}} if tags else options


async def _require_tags(page: "PageSession", context: ExecutionContext, tags: list[str]) -> None:
    if not tags:
        return
    known: list[str] = await page_scripts.value(context, _TAGS)
    for tag in tags:
        if tag not in known:
            near = nearest(tag, known)
            shown = ", ".join(name for name in known if name.startswith(("wcag2", "best", "section508")))
            hint = f"Did you mean {near}?" if near else f"For example {one_line(shown, 600)}"
            raise UsageError(f"No rule of axe-core has the tag {quote_text(tag, 60)}", hint)


async def _named(
    page: "PageSession", contexts: list[ExecutionContext], told: dict[str, Any]
) -> dict[tuple[int, int], tuple[str, str]]:
    """Ref and name of every element that was told, by the number of its frame and its id."""
    wanted: dict[int, dict[int, None]] = {}
    for rule in (*told["violations"], *told["incomplete"]):
        for element in rule["elements"]:
            if element["where"]:
                number, node = element["where"]
                wanted.setdefault(number, {})[node] = None
    named: dict[tuple[int, int], tuple[str, str]] = {}
    for number, nodes in wanted.items():
        try:
            found = await page.tab.refs.named_in(contexts[number], list(nodes))
        except FrameGone:
            continue  # what was found is told without refs
        named |= {(number, node): said for node, said in zip(nodes, found, strict=True)}
    return named
