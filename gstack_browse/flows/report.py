"""Render the report of a flow's run as HTML, JSON lines or JUnit XML."""

import base64
import html
import json
import re
import time
from collections.abc import Iterator

from gstack_browse.flows.log import RunRecord, StepRecord

WIDEST_REF = 70
"""Width of a drawn ref in CSS pixels of the page."""
_NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\U00010000-\U0010ffff]")
_STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.3rem}ol{list-style:none;padding:0}ol>li{border-top:1px solid #d0d7de;padding:.8rem 0}
code{font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.time{float:right;color:#57606a;font-variant-numeric:tabular-nums}.effect{color:#57606a;margin:.2rem 0}
.failed{border-left:4px solid #cf222e;padding-left:.8rem}.error{color:#a40e26;white-space:pre-wrap}
.passed{color:#116329}img{max-width:100%;display:block}
.picture{position:relative;display:inline-block;margin-top:.5rem;outline:1px solid #d0d7de}
svg{position:absolute;left:0;top:0;width:100%;height:100%}rect{fill:none;stroke:#cf222e;stroke-width:3}
text{font:bold 18px system-ui,sans-serif;fill:#cf222e;stroke:#fff;stroke-width:5px;paint-order:stroke}
@media (prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}.time,.effect{color:#9198a1}.error{color:#ff7b72}.passed{color:#56d364}}"""


def render_html(run: RunRecord) -> str:
    """Return the report of a flow's run as an HTML page. No script runs in it, and it loads nothing."""
    return "\n".join(_render_page(run)) + "\n"


def _render_page(run: RunRecord) -> Iterator[str]:
    """Yield the parts of the report's HTML page."""
    name = _escape_html(run.name)
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield f'<meta name="viewport" content="width=device-width"><title>{name}</title><style>{_STYLE}</style></head><body>'
    yield f"<h1>{name}</h1>"
    yield f'<p class="{"failed" if run.failed_step else "passed"}">{_escape_html(summary(run))}</p>'
    yield f"<p>{_escape_html(time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime(run.began)))}</p><ol>"
    for step in run.steps:
        yield from _render_step(step)
    yield "</ol></body></html>"


def _render_step(step: StepRecord) -> Iterator[str]:
    """Yield a step as a list item: line, effects, error, candidates and picture."""
    yield f"<li{' class=failed' if step.is_failed else ''}>"
    yield f'<span class="time">{_format_duration(step)}</span>{step.number}. <code>{_escape_html(step.line)}</code>'
    lines = [step.remark, *(f"→ {effect}" for effect in step.effects)]
    lines += [f"console: {line}" for line in step.console] + [f"request: {line}" for line in step.requests]
    yield from (f'<p class="effect">{_escape_html(line)}</p>' for line in lines if line)
    if step.error:
        yield f'<p class="error">{_escape_html(step.error)}</p>'
    if step.candidates:
        items = "".join(f"<li><code>{_escape_html(each)}</code></li>" for each in step.candidates)
        yield f"<ul>{items}</ul>"
    if step.picture:
        kind = "png" if step.picture.startswith(b"\x89PNG") else "jpeg"
        encoded = base64.b64encode(step.picture).decode()
        yield f'<div class="picture"><img alt="the page after step {step.number}" src="data:image/{kind};base64,{encoded}">'
        yield from _draw_candidates(step)
        yield "</div>"
        if step.unseen:
            yield f'<p class="effect">Not in the picture: {_escape_html(", ".join(step.unseen))}</p>'
    elif step.no_picture:
        yield f'<p class="effect">No picture: {_escape_html(step.no_picture)}</p>'
    yield "</li>"


def _draw_candidates(step: StepRecord) -> Iterator[str]:
    """Yield HTML boxes over the step's picture, one for each candidate element.

    They are not drawn into the picture: it may be taken on a machine without Pillow.
    """
    if not step.marks:
        return
    width, height = step.view
    yield f'<svg viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" role="img" aria-label="the candidates">'
    for mark in step.marks:
        left, top, wide, high = mark.box
        yield f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}"/>'
        is_at_edge = left + wide > width - WIDEST_REF
        x, anchor = (left - 6, "end") if is_at_edge else (left + wide + 6, "start")
        yield f'<text x="{x:.1f}" y="{top + high / 2 + 6:.1f}" text-anchor="{anchor}">{_escape_html(mark.ref)}</text>'
    yield "</svg>"


def summary(run: RunRecord) -> str:
    """Describe the result of a run in one line: `4 steps passed in 61 ms`."""
    milliseconds = round(run.seconds * 1000)
    if run.goes_on:
        failures = sum(step.is_failed for step in run.steps)
        return f"{len(run.steps)} steps in {milliseconds} ms, {failures} failed"
    if failed := run.failed_step:
        return f"Stopped at step {failed.number} of {run.total}, after {milliseconds} ms"
    steps = "1 step" if len(run.steps) == 1 else f"{len(run.steps)} steps"
    return f"{steps} passed in {milliseconds} ms"


def render_json(step: StepRecord) -> str:
    """Return a step as a line of JSON, as `flow-run --json` prints it."""
    facts = {
        "step": step.number,
        "line": step.line,
        "ms": round(step.seconds * 1000),
        "passed": not step.is_failed,
        "effects": list(step.effects),
        "healed": step.remark.removeprefix("healed: "),
        "error": step.error,
        "candidates": list(step.candidates),
    }
    return json.dumps(facts, ensure_ascii=False)


def render_json_summary(run: RunRecord, healed_file: str) -> str:
    """Return a run's result as a line of JSON. `healed_file`: the flow with new selectors; "" for none."""
    facts = {"passed": not run.failed_step, "steps": len(run.steps), "of": run.total}
    return json.dumps(
        {**facts, "ms": round(run.seconds * 1000), "healed_file": healed_file}, ensure_ascii=False
    )


def render_junit(run: RunRecord) -> str:
    """Return the run as JUnit XML: a test case a step. Steps behind the one that failed are skipped."""
    failures = sum(step.is_failed for step in run.steps)
    left = max(run.total - len(run.steps), 0)
    name = _escape_attribute(run.name)
    counts = f'tests="{len(run.steps) + left}" failures="{failures}" errors="0" skipped="{left}" time="{run.seconds:.3f}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="{name}" {counts}>',
        f'<testsuite name="{name}" {counts}>',
    ]
    for step in run.steps:
        case = f'<testcase classname="{name}" name="{_escape_attribute(f"{step.number} {step.line}")}" time="{step.seconds:.3f}"'
        if not step.is_failed:
            lines.append(f"{case}/>")
            continue
        details = "\n".join([step.error, *step.candidates, *step.console, *step.requests])
        failure = f'<failure message="{_escape_attribute(step.error)}">{_escape_xml(details)}</failure>'
        lines.append(f"{case}>{failure}</testcase>")
    lines += [
        f'<testcase classname="{name}" name="step not run {number}"><skipped/></testcase>'
        for number in range(1, left + 1)
    ]
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def _format_duration(step: StepRecord) -> str:
    """Return a step's duration as `61 ms`."""
    return f"{round(step.seconds * 1000)} ms"


def _escape_html(text: str) -> str:
    """Return a text for HTML. Characters that XML forbids become U+FFFD."""
    return html.escape(_NOT_IN_XML.sub("\ufffd", text))


def _escape_xml(text: str) -> str:
    """Return a text for the content of an XML element; quotes stay as they are."""
    return html.escape(_NOT_IN_XML.sub("\ufffd", text), quote=False)


def _escape_attribute(text: str) -> str:
    """Return a text escaped for an XML attribute; line ends and tabs become character references."""
    return _escape_html(text).replace("\n", "&#10;").replace("\t", "&#9;").replace("\r", "&#13;")
