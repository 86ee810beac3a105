"""Audit the page that a tab shows with axe-core, in every frame. `text/findings.py` prints the report."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.errors import ProtocolError
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
"""Elements of one audit that are reported with refs; all are counted."""
MOST_FRAMES = 100
_IS_LOADED_EXPRESSION = "typeof globalThis.axe?.runPartial === 'function'"
_TAGS = "JSON.stringify([...new Set(axe.getRules().flatMap((rule) => rule.tags))].sort())"


@dataclass
class _Audit:
    """An audit in progress. Frames are in the order in which axe-core merges their results."""

    page: "PageSession"
    options: JsonValue
    contexts: list[ExecutionContext] = field(default_factory=list)
    partials: list[str | None] = field(default_factory=list)
    """Axe's result for each frame except the first; None for one that could not be audited."""

    async def audit_frame(
        self, context: ExecutionContext, *, node: int = 0, axe_context: JsonValue = None
    ) -> None:
        """Audit a frame, or one of its nodes, with all frames inside.

        `axe_context`: what axe passes to a frame from the frame around it. Raises FrameGone, PageScriptError, or ProtocolError.
        """
        await page_scripts.load_library(context, AXE, _IS_LOADED_EXPRESSION)
        number = len(self.contexts)
        argument = {"number": number, "node": node, "context": axe_context, "options": self.options}
        result = await page_scripts.run(context, "audit-frame", argument)
        if result is None:
            raise FrameGone("The element is gone")
        self.contexts.append(context)
        if number:
            self.partials.append(result["partial"])
        for node, inner in result["frames"]:
            await self._audit_child(context, node, inner)

    async def _audit_child(self, context: ExecutionContext, node: int, inner: JsonValue) -> None:
        """Audit the frame of an iframe, or record that it failed: axe expects one result for each iframe."""
        audited = len(self.contexts)
        try:
            child = (
                await self.page.world.frames.child(context, node) if node and audited < MOST_FRAMES else None
            )
            if child is None:
                raise NoDocument
            await self.audit_frame(child, axe_context=inner)
        except (FrameGone, PageScriptError, ProtocolError):
            if self.page.tab.page.is_closed():
                raise
            if len(self.contexts) == audited:
                self.partials.append(None)

    @property
    def skipped_frames(self) -> int:
        """Count the frames that could not be audited."""
        return self.partials.count(None)


async def audit(page: "PageSession", target: str | None, tags: list[str]) -> AuditReport:
    """Audit an element, or all that the frame shows; with `tags`, only by rules that have one of them.

    Raises UsageError for an unknown tag, ActionFailed if axe-core itself fails.
    """
    element = await locate_first(page, target) if target else None
    try:
        await page.tab.refs.take()
        context = await page.world.frames.context_of(element.frame if element else page.frame)
        await page_scripts.load_library(context, AXE, _IS_LOADED_EXPRESSION)
        await _check_tags(page, context, tags)
        run = _Audit(page, _options(tags))
        await run.audit_frame(context, node=element.node if element else 0)
        result = await page_scripts.run(
            context,
            "finish-audit",
            {"partials": run.partials, "options": run.options, "most": MOST_ELEMENTS},
        )
        report = parse_report(result, await _name_elements(page, run.contexts, result))
    except PageScriptError as error:
        raise ActionFailed(
            f"axe-core failed: {one_line(str(error), 300)}", "Audit a part of the page: audit main"
        ) from None
    except ProtocolError as error:
        raise failures.translate(error) from None
    report.frames_left_out = run.skipped_frames
    return report


def _options(tags: list[str]) -> dict[str, JsonValue]:
    """Return axe's default options, except that it does not describe rules that pass."""
    options: dict[str, JsonValue] = {"resultTypes": ["violations", "incomplete"]}
    return {**options, "runOnly": {"type": "tag", "values": tags}} if tags else options


async def _check_tags(page: "PageSession", context: ExecutionContext, tags: list[str]) -> None:
    """Raise UsageError for a tag that no rule has."""
    if not tags:
        return
    known: list[str] = await page_scripts.evaluate_json(context, _TAGS)
    for tag in tags:
        if tag not in known:
            near = nearest(tag, known)
            shown = ", ".join(name for name in known if name.startswith(("wcag2", "best", "section508")))
            hint = f"Did you mean {near}?" if near else f"For example {one_line(shown, 600)}"
            raise UsageError(f"No rule of axe-core has the tag {quote_text(tag, 60)}", hint)


async def _name_elements(
    page: "PageSession", contexts: list[ExecutionContext], result: dict[str, Any]
) -> dict[tuple[int, int], tuple[str, str]]:
    """Return (frame number, node id) → (ref, name) for all reported elements."""
    nodes_by_frame: dict[int, dict[int, None]] = {}
    for rule in (*result["violations"], *result["incomplete"]):
        for element in rule["elements"]:
            if element["where"]:
                number, node = element["where"]
                nodes_by_frame.setdefault(number, {})[node] = None
    names: dict[tuple[int, int], tuple[str, str]] = {}
    for number, nodes in nodes_by_frame.items():
        try:
            found = await page.tab.refs.named_in(contexts[number], list(nodes))
        except FrameGone:
            continue  # what was found is told without refs
        names |= {(number, node): said for node, said in zip(nodes, found, strict=True)}
    return names
