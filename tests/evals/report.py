"""Write a run as one HTML page that needs nothing else. Pure but for `written`.

Figures, failures with their transcripts and pictures.

Transcripts hold what pages and models said: all of it is escaped, nothing on the page runs, and a policy in the page forbids
scripts and anything from elsewhere.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from gstack_browse.text.sanitise import sanitise
from gstack_browse.workspace.files import write_whole
from tests.evals import store
from tests.evals.amounts import dollars, seconds, thousands
from tests.evals.calls import steps, wasted
from tests.evals.compare import Comparison, compared
from tests.evals.compare_text import takeaways
from tests.evals.result import Result
from tests.evals.run import Run
from tests.evals.summary import mark

MOST_TRANSCRIPT, MOST_LINE, MOST_PICTURE = 300_000, 4_000, 3_000_000
"""Characters of a transcript and of one line of it, bytes of a picture."""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; --line: #8884; --bad: #d1242f; --good: #1a7f37; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.passed { color: var(--good); } .failed { color: var(--bad); font-weight: 600; } .cannot { opacity: .6; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: 4px; padding: .6rem; max-height: 40rem; overflow: auto; font-size: 13px; }
img { max-width: 100%; border: 1px solid var(--line); border-radius: 4px; }
"""


def written(root: Path, run: Run, before: Run | None, unsteady: Sequence[str], out: Path) -> Path:
    """Write the page of a run. Returns its path."""
    evidence = {test.key: _evidence(root, run, test) for test in run.tests if test.is_failure}
    page = html(run, compared(before, run) if before else None, unsteady, evidence)
    path = out.parent.resolve() / out.name
    write_whole(str(path), page.encode("utf-8", "replace"))
    return path


def html(run: Run, against: Comparison | None, unsteady: Sequence[str], evidence: dict[str, "Evidence"]) -> str:
    """The whole page."""
    body = [_head(run), _totals(run), _compared(against, unsteady), _tests(run)]
    body += [_failure(test, evidence.get(test.key, Evidence())) for test in run.tests if test.is_failure]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(run.name)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>\n'
        + "\n".join(filter(None, body))
        + "\n</body></html>\n"
    )


class Evidence:
    """Files kept of a failure: each is empty where nothing was kept."""

    def __init__(self, transcript: str = "", known: str = "", picture: bytes = b"") -> None:
        self.transcript = transcript
        self.known = known
        self.picture = picture


def _evidence(root: Path, run: Run, test: Result) -> Evidence:
    name = store.file_name(test.key)
    picture = store.read_bytes(root, run.name, f"{name}.png", MOST_PICTURE + 1) or b""
    return Evidence(
        store.read_text(root, run.name, f"{name}.ndjson", MOST_TRANSCRIPT + 1),
        store.read_text(root, run.name, f"{name}-failure.json", 100_000),
        picture if len(picture) <= MOST_PICTURE else b"",
    )


def _head(run: Run) -> str:
    setting = run.setting
    sha = setting.git_sha[:8] + ("+" if setting.git_dirty else "")
    facts = [
        f"tier {setting.tier} {setting.tasks}".strip(),
        " ".join(filter(None, (setting.agent, setting.model))),
        f"gbrowse {setting.version}",
        f"{setting.branch} {sha}",
        setting.hostname,
        run.timestamp,
        "" if run.seed is None else f"seed {run.seed}",
    ]
    partial = (
        '<p class="failed">Ended before it was over: these are the results until then.</p>'
        if run.is_partial
        else ""
    )
    return f"<h1>{_text(run.name)}</h1><p>{_text(' · '.join(filter(None, facts)))}</p>{partial}"


def _totals(run: Run) -> str:
    undecided = sum(test.is_open for test in run.tests)
    facts = [
        f"passed {run.passed} of {len(run.tests) - undecided}",
        f"time {seconds(run.wall_clock_ms)}",
        f"calls {sum(steps(test) or 0 for test in run.tests):,}, wasted {sum(map(wasted, run.tests)):,}",
        f"characters read {thousands(sum(test.chars_out or 0 for test in run.tests))}",
        "" if run.cost_usd is None else f"cost {dollars(run.cost_usd)}",
    ]
    return f"<p>{' · '.join(filter(None, facts))}</p>"


def _compared(against: Comparison | None, unsteady: Sequence[str]) -> str:
    if against is None:
        return "<h2>Beside the run before</h2><p>There is none of the same tier and agent.</p>"
    lines = "".join(f"<li>{_text(line)}</li>" for line in takeaways(against, unsteady))
    return f"<h2>Beside {_text(against.before.name)}</h2><ul>{lines}</ul>"


def _tests(run: Run) -> str:
    rows = "".join(map(_row, run.tests))
    heads = "".join(f'<th class="number">{name}</th>' for name in ("calls", "characters", "time", "cost"))
    return f"<h2>Tests</h2><table><tr><th></th><th>test</th>{heads}</tr>{rows}</table>"


def _row(test: Result) -> str:
    kind = "passed" if test.passed else "failed" if test.is_failure else "cannot"
    name = _text(test.key)
    if test.is_failure:
        name = f'<a href="#{_anchor(test)}">{name}</a>'
    numbers = [
        steps(test),
        None if test.chars_out is None else f"{test.chars_out:,}",
        seconds(test.duration_ms),
        None if test.cost_usd is None else dollars(test.cost_usd),
    ]
    cells = "".join(f'<td class="number">{"–" if number is None else number}</td>' for number in numbers)
    return f'<tr><td class="{kind}">{mark(test)}</td><td>{name}</td>{cells}</tr>'


def _failure(test: Result, evidence: Evidence) -> str:
    parts = [
        f'<h2 id="{_anchor(test)}" class="failed">{_text(test.key)}</h2>',
        f"<p>{_text(test.why)}</p>",
    ]
    if test.judge_reasoning:
        parts.append(_details("Reasons of the judge", [test.judge_reasoning]))
    if test.browse_errors:
        parts.append(f"<p>Ours: {_text('; '.join(test.browse_errors))}</p>")
    if evidence.picture:
        data = b64encode(evidence.picture).decode()
        parts.append(f'<p><img alt="The page when the test failed" src="data:image/png;base64,{data}"></p>')
    if test.tool_calls:
        parts.append(_details("Calls", _calls(test)))
    if evidence.known:
        parts.append(_details("What was kept of it", [evidence.known]))
    if evidence.transcript:
        parts.append(_details("Transcript", _readable(evidence.transcript)))
    return "\n".join(parts)


def _details(title: str, lines: Iterable[str]) -> str:
    return f"<details><summary>{_text(title)}</summary><pre>{_text(chr(10).join(lines))}</pre></details>"


def _calls(test: Result) -> Iterator[str]:
    for call in test.tool_calls:
        code = "" if call.code in (None, 0) else f"  exit {call.code}"
        chars = "" if call.output_chars is None else f"  {call.output_chars:,} chars"
        yield f"{call.tool}: {call.input[:MOST_LINE]}{chars}{code}"


def _readable(ndjson: str) -> Iterator[str]:
    """The stream, one indented object after the other; what is no JSON as it came."""
    for line in ndjson[:MOST_TRANSCRIPT].splitlines():
        try:
            said = json.dumps(json.loads(line), indent=1, ensure_ascii=False)
        except (ValueError, RecursionError):
            said = line
        yield said if len(said) <= MOST_LINE else said[:MOST_LINE] + " …"
    if len(ndjson) > MOST_TRANSCRIPT:
        yield "… the rest is left out"


def _anchor(test: Result) -> str:
    return escape(store.file_name(test.key), quote=True)


def _text(words: str) -> str:
    """Words for the page: no control and hidden characters, nothing that HTML would take for its own."""
    return escape(sanitise(words), quote=True)
