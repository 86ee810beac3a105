"""Inspect: debug and verify."""

import asyncio
import json
from pathlib import Path
from typing import Literal

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading import evaluate, read
from gstack_browse.errors import ProblemsFound, UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import (
    Budget,
    Expression,
    Milliseconds,
    OutFile,
    Properties,
    Script,
    Target,
)
from gstack_browse.text.budget import check_budget, summarise_broken_limits
from gstack_browse.workspace.files import write_whole


@command(
    WRITE,
    examples=[
        "js document.title",
        "js 'await fetch(\"/api\").then(r => r.status)'",
        "js --out rows.json 'rows.map(r => r.data)'",
    ],
    page_text=True,
    waits=True,
    runs_code=True,
)
async def js(
    page: PageCommand, expression: Expression, *, out: OutFile | None = None, any_origin: bool = False
) -> str:
    """Run JavaScript in the page and print its value.

    Objects and arrays are printed as JSON, strings bare, undefined as nothing, with a note. A promise is awaited.
    Several statements have the value of the last one, or what they `return`; `await` works anywhere. @e3 in the
    code stands for that element. A thrown error is an error, exit 1. Code that begins with a dash goes after '--'.
    Code runs at once. What a page draws in a frame after an action, every other read waits for: 'text', 'value', 'expect'.

    out: write the value to this file, whole and as it is, instead of printing it
    any_origin: run even where cookies were imported for other sites
    """
    return await _evaluate_code(page, expression, out, any_origin=any_origin)


@command(
    WRITE,
    name="eval",
    examples=["eval check.js", "eval - < check.js"],
    page_text=True,
    waits=True,
    runs_code=True,
)
async def eval_(
    page: PageCommand,
    file: Script,
    *,
    out: OutFile | None = None,
    any_origin: bool = False,
    any_file: bool = False,
) -> str:
    """Run a file of JavaScript, or what is piped in, in the page and print its value.

    The same rule as for 'js': an expression has its value, awaited, and statements that of the last one; with a
    `return` at the top the file is the body of an async function and has the value that it returns.

    out: write the value to this file, whole and as it is, instead of printing it
    any_origin: run even where cookies were imported for other sites
    any_file: also a file outside of the workspace and the temporary directory
    """
    code = (
        file.removeprefix("\ufeff")
        if isinstance(file, str)
        else await asyncio.to_thread(evaluate.read_script, file)
    )
    return await _evaluate_code(page, code, out, any_origin=any_origin)


async def _evaluate_code(page: PageCommand, code: str, out: Path | None, *, any_origin: bool) -> str:
    """Evaluate JavaScript in the page. Return its value as text, or where it was saved.

    `out`: the file to save it in; None: none. `any_origin`: run the code also where cookies were imported for other sites than
    the page's; without that, Refused is raised there.
    """
    async with page.watching():
        value = await evaluate.run_code(page, code, any_origin=any_origin)
    if out is None:
        return value
    content = value.encode("utf-8", "replace")
    await asyncio.to_thread(write_whole, str(out), content)
    return f"Value saved: {out} ({len(content)}B)"


@command(READ, examples=["css h1 color", "css @e3", "css @e3 --all"], page_text=True)
async def css(page: PageCommand, target: Target, *properties: Properties, all: bool = False) -> str:
    """Print the computed value of a CSS property; of several, a line each with the property's name.

    Without a property: those in which the element differs from one of its kind on an empty page, inherited ones too. What
    follows from others (logical properties, colors that are the text's color) is left out.

    all: every property, whether it differs or not
    """
    if all and properties:
        raise UsageError("--all and properties exclude each other")
    if len(properties) == 1:
        return await read.fetch_css_property(page, target, properties[0])
    if properties:
        values = [(name, await read.fetch_css_property(page, target, name)) for name in properties]
    else:
        values = await (read.list_styles(page, target) if all else read.list_differing_styles(page, target))
    return "\n".join(f"{name}: {value}" for name, value in values) or "(as on an empty page)"


@command(READ, examples=["attrs @e3"], page_text=True)
async def attrs(page: PageCommand, target: Target) -> str:
    """Print an element's attributes as JSON. Values of password fields are masked."""
    return json.dumps(await read.fetch_attributes(page, target), ensure_ascii=False, indent=2)


@command(READ, name="is", examples=["is visible '#result'", "is checked @e7"])
async def is_(
    page: PageCommand,
    state: Literal["visible", "hidden", "enabled", "disabled", "checked", "editable", "focused"],
    target: Target,
) -> str:
    """Print true or false: the element's state now, without waiting.

    A missing element is not visible and is hidden; for the other states it is an error. A custom element is as
    disabled, checked or editable as the one control that it draws, a label as its field.

    state: what is asked of the element
    """
    return "true" if await read.fetch_state(page, state, target) else "false"


@command(
    READ,
    examples=[
        "perf",
        "perf --vitals",
        "perf --budget 'lcp<9000,requests<80,bytes<1.5MB'",
        "perf --trace trace.json",
    ],
    kinds={"trace": WRITE},
    page_text=True,
    waits=True,
    forms="[--vitals [--json] | --budget <limits> | --trace <path> [--record <ms>]]",
)
async def perf(
    page: PageCommand,
    *,
    vitals: bool = False,
    json: bool = False,
    budget: Budget | None = None,
    trace: OutFile | None = None,
    record: Milliseconds | None = None,
) -> str:
    """Print how long the phases of loading took and the page's Web Vitals, or record a trace.

    Phases are in milliseconds from the page's start. dns, tcp, ssl, ttfb (request to first byte) and download
    are durations, domParse is the time from the first byte until the document is parsed; domReady and load are
    counted from the start of the navigation.

    vitals: LCP, CLS, INP, FCP and TTFB with their elements and what they are made of, and the frames that took longest
    json: the Web Vitals as an object
    budget: compare with limits, and exit 1 when one does not hold: lcp, inp, fcp, ttfb, domready, load and long-tasks in milliseconds, cls, requests, errors, bytes, script-bytes, image-bytes, style-bytes, font-bytes
    trace: load the page again and save what Chromium did for Perfetto and for the Performance panel of its tools; prints the ten longest tasks
    record: record for so long instead of loading the page again
    """
    if sum((vitals, budget is not None, trace is not None)) > 1:
        raise UsageError("--vitals, --budget and --trace exclude each other")
    if (json and not vitals) or (record is not None and trace is None):
        raise UsageError("--json goes with --vitals, and --record with --trace")
    if trace is not None:
        from gstack_browse.browser.auditing import tracing  # late: seldom asked for

        return await tracing.record_trace(page, trace, record)
    from gstack_browse.browser.auditing import vitals as measuring  # late: seldom asked for

    if budget is not None:
        lines, broken = check_budget(budget, await measuring.measure(page))
        if broken:
            raise ProblemsFound(summarise_broken_limits(broken, len(budget)), output="\n".join(lines))
        return "\n".join(lines)
    if not vitals:
        timing = await measuring.navigation_timing(page)
        shown = {
            phase: "not yet" if timing[phase] is None else f"{timing[phase]}ms" for phase in measuring.PHASES
        }
        return "\n".join(f"{phase:<9} {length}" for phase, length in shown.items())
    report, named = await measuring.measure_vitals(page)
    if not report["isLoaded"]:
        page.notes.append("The page is still loading: 'wait --load', then ask again")
    return measuring.render_json(report, named) if json else "\n".join(measuring.render_lines(report, named))
