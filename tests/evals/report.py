"""Write a run as one HTML page: what the terminal shows, and the evidence of failures.

Pure but for `written`. The page needs nothing else.
Transcripts hold what pages and models said: all of it is escaped, nothing on the page runs, and a policy in the page forbids
scripts and anything from elsewhere.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from gstack_browse.text.sanitise import sanitise
from gstack_browse.workspace.files import write_whole
from tests.evals import store
from tests.evals.compare import Comparison, compared, takeaways
from tests.evals.result import Result
from tests.evals.run import Run
from tests.evals.summary import shown

MOST_TRANSCRIPT, MOST_LINE, MOST_PICTURE = 300_000, 4_000, 3_000_000
"""Characters of a transcript and of one line of it, bytes of a picture."""
Read = Callable[[str, str], bytes]
"""Returns what was kept of a test: `png` or `ndjson`; nothing where there is nothing."""
HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }}
img {{ max-width: 100%; border: 1px solid; }}
</style></head><body>
"""


def written(root: Path, run: Run, before: Run | None, unsteady: Sequence[str], out: Path) -> Path:
    """Write the page of a run. Returns its path."""

    def read(test: str, kind: str) -> bytes:
        return store.read_file(root, run.name, f"{store.file_name(test)}.{kind}")

    page = html(run, compared(before, run) if before else None, unsteady, read)
    path = out.parent.resolve() / out.name
    write_whole(str(path), page.encode("utf-8", "replace"))
    return path


def html(run: Run, against: Comparison | None, unsteady: Sequence[str], read: Read) -> str:
    """Return the whole page."""
    body = [f"<h1>{_text(run.name)}</h1>", _pre(shown(run))]
    if against:
        body += [f"<h2>Beside {_text(against.before.name)}</h2>", _pre(takeaways(against, unsteady))]
    body += [_failure(test, read) for test in run.tests if test.is_failure]
    return HEAD.format(title=_text(run.name)) + "\n".join(body) + "\n</body></html>\n"


def _failure(test: Result, read: Read) -> str:
    parts = [f"<h2>{_text(test.key)}</h2>", f"<p>{_text(test.why)}</p>"]
    if 0 < len(picture := read(test.key, "png")) <= MOST_PICTURE:
        data = b64encode(picture).decode()
        parts.append(f'<p><img alt="The page when the test failed" src="data:image/png;base64,{data}"></p>')
    transcript = read(test.key, "ndjson").decode("utf-8", "replace")
    for title, lines in (("Calls", list(_calls(test))), ("Transcript", list(_readable(transcript)))):
        parts += [f"<details><summary>{title}</summary>{_pre(lines)}</details>"] if lines else []
    return "\n".join(parts)


def _calls(test: Result) -> Iterator[str]:
    for call in test.tool_calls:
        code = "" if call.code in (None, 0) else f"  exit {call.code}"
        chars = "" if call.output_chars is None else f"  {call.output_chars:,} chars"
        yield f"{call.tool}: {call.input[:MOST_LINE]}{chars}{code}"


def _readable(ndjson: str) -> Iterator[str]:
    """Yield the stream's objects, indented; what is no JSON as it came."""
    for line in ndjson[:MOST_TRANSCRIPT].splitlines():
        try:
            said = json.dumps(json.loads(line), indent=1, ensure_ascii=False)
        except (ValueError, RecursionError):
            said = line
        yield said if len(said) <= MOST_LINE else said[:MOST_LINE] + " …"
    if len(ndjson) > MOST_TRANSCRIPT:
        yield "… the rest is left out"


def _pre(lines: Iterable[str]) -> str:
    return f"<pre>{_text(chr(10).join(lines))}</pre>"


def _text(words: str) -> str:
    """Return words for the page, without control and hidden characters, and with HTML's signs escaped."""
    return escape(sanitise(words), quote=True)
