"""Scripts: Playwright scripts in Python that run in the live browser."""

import codecs
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from select import select
from tempfile import TemporaryFile
from typing import Annotated

from gstack_browse.agent.attach_address import open_address
from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import ScriptFailed, TimedOut, UsageError
from gstack_browse.registry import WRITE, command
from gstack_browse.registry.arguments import Word
from gstack_browse.registry.values.argument_type import ArgumentType, Piped, or_piped
from gstack_browse.registry.values.paths import CallerPaths, parse_input_file
from gstack_browse.text.sanitise import begin_fence, end_fence, fence, quote_text, sanitise

_OTHER_LANGUAGES = (".js", ".mjs", ".cjs", ".ts", ".mts")
SECONDS = 600


def _parse_script(word: str, paths: CallerPaths) -> Path:
    """Return the path of the script `word`. Raises UsageError unless it is Python, and FileFailed."""
    if word.endswith(_OTHER_LANGUAGES):
        raise UsageError(
            f"Only Python scripts run: {word} is none",
            "Node's Playwright and Puppeteer attach by themselves: gbrowse attach --tcp (see docs/attach.md)",
        )
    return parse_input_file(word, paths)


PythonScript = Annotated[
    Path | Piped,
    ArgumentType(
        "file|-", "a file of Python, or - for standard input", or_piped(_parse_script), hint="file", piped=True
    ),
]


@command(
    WRITE,
    examples=["run check.py", "run check.py staging", "run - < check.py"],
    timeout=SECONDS,
    page_text=True,
    waits=True,
)
def run(caller: Caller, script: PythonScript, *words: Word) -> str:
    """Run a Playwright script in Python in the live browser, and print what it prints.

    It has 'page' (the active tab), 'context', 'browser' and 'playwright', with the logins there are, and leaves at its end; the
    browser stays. A script that awaits, or calls asyncio.run, gets Playwright's async objects. Further words are
    its sys.argv. Ends after 600 s, or --timeout. An exception makes it exit with 1.

    words: further words, which the script finds in sys.argv
    """

    if isinstance(script, Piped):
        return run_in_process(caller, str(script), "<stdin>", "", words)
    try:
        source = script.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{script.name} is no text (UTF-8)") from None
    return run_in_process(caller, source, script.name, str(script.resolve().parent), words)


MODULE = "gstack_browse.client.attached"
_BOOTSTRAP = "import sys; sys.path.append(sys.argv.pop(1)); from runpy import run_module; run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
_READ_BYTES = 1 << 16
_POLL_SECONDS = 0.1
"""How often to look whether the process has ended while its output is open."""


def run_in_process(caller: Caller, source: str, name: str, folder: str, arguments: Sequence[str]) -> str:
    """Run a Playwright script in a process of its own, attached to the daemon's browser.

    Returns its output; "" if that was printed at once.

    Args:
        source: the script's text
        name: the script's file name, for messages
        folder: directory from which the script may import; "" for none
        arguments: the script's `sys.argv[1:]`

    Raises ScriptFailed with the script's exception, TimedOut, and errors of `attach`.
    """
    end = time.monotonic() + caller.deadline_seconds
    opened = open_address(caller.ask_daemon)
    is_fenced = caller.fence or opened["fence"]
    output = _StreamedOutput(is_fenced=is_fenced) if caller.streams else _CollectedOutput()
    task = {
        "source": source,
        "name": name,
        "folder": folder,
        "arguments": list(arguments),
        "opened": opened,
    }
    # files, since the length of variables is limited, and programs that the script leaves behind hold pipes open
    with TemporaryFile() as task_file, TemporaryFile() as report:
        task_file.write(json.dumps(task | {"report": report.fileno()}).encode())
        task_file.seek(0)
        process = _start_process(caller, name, task_file.fileno(), report.fileno())
        try:
            _read_output(process, output.write, end)
        except TimeoutError:
            output.end()
            raise TimedOut(
                f"{name} did not end within {caller.deadline_seconds:g} s",
                "Give it longer: gbrowse --timeout MS run …",
            ) from None
        finally:
            process.kill()
            process.wait()
        report.seek(0)
        error = _parse_report(report.read(), name, output.write if is_fenced else None)
    output.end()
    text = output.text
    if is_fenced and text:
        text = fence(text)
    if error:
        error.output = text
        raise error
    return text


def _start_process(caller: Caller, name: str, task: int, report: int) -> "subprocess.Popen[bytes]":
    """Start the script's process.

    `name`: of the script's file. `task`: descriptor of the file with the script and its arguments. `report`: descriptor of the file
    to which the process writes the script's exception.
    """
    return subprocess.Popen(
        [sys.executable, "-P", "-X", "utf8", "-c", _BOOTSTRAP, str(Path(__file__).parents[3]), MODULE],
        stdin=subprocess.DEVNULL if name == "<stdin>" else None,
        stdout=subprocess.PIPE,
        cwd=caller.paths.cwd,
        env={**caller.environment, "GBROWSE_RUN": str(task), "PYTHONUNBUFFERED": "1"},
        pass_fds=(task, report),
    )


class _CollectedOutput:
    """Collects a script's output for the reply."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.write = self._parts.append

    def end(self) -> None:
        """Do nothing: collected output is fenced later, with the whole reply."""

    @property
    def text(self) -> str:
        """Return the collected output without its last newline."""
        return "".join(self._parts).removesuffix("\n")


class _StreamedOutput:
    """Prints a script's output at once. `is_fenced`: between the two marker lines of a fence.

    The label is drawn before the text is known, so it is a long one: text of a page cannot guess it.
    """

    text = ""

    def __init__(self, *, is_fenced: bool) -> None:
        self._label = os.urandom(8).hex() if is_fenced else ""
        self._last = "\n"
        if is_fenced:
            self.write(f"{begin_fence(self._label)}\n")

    def write(self, text: str) -> None:
        """Print a part of the output."""
        sys.stdout.write(text)
        sys.stdout.flush()
        self._last = text[-1:] or self._last

    def end(self) -> None:
        """Print the line that ends the fence, if there is one."""
        if self._label:
            self.write(f"{'' if self._last == chr(10) else chr(10)}{end_fence(self._label)}\n")


def _parse_report(text: bytes, name: str, write_fenced: Callable[[str], object] | None) -> ScriptFailed | None:
    """Return the exception that the script's process has reported (`text`, JSON) as an error.

    None if the script succeeded. Its message may be text of a page. If output is fenced, its first line is quoted, and
    `write_fenced` gets the others.
    """
    if not text:
        return ScriptFailed(f"{name}: its process ended before the script did")
    report = json.loads(text)
    if not report:
        return None
    first, _, rest = report["text"].partition("\n")
    frames = report["frames"] if len(report["frames"]) > 1 else []
    if write_fenced:
        write_fenced(sanitise(rest) + "\n" if rest else "")
        first = quote_text(first, 300)
        rest = ""
    return ScriptFailed(
        f"{report['place']}: {first}".removesuffix(": "), "\n".join([*frames, *filter(None, [rest])])
    )


def _read_output(process: "subprocess.Popen[bytes]", write: Callable[[str], object], end: float) -> None:
    """Pass a process's output to `write` as it comes, until the process ends.

    Processes that it has started may hold the output open longer. Raises TimeoutError at `end`, by `time.monotonic`.
    """
    assert process.stdout
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        has_ended = process.poll() is not None
        seconds = 0.0 if has_ended else min(_POLL_SECONDS, end - time.monotonic())
        is_readable = select([process.stdout], [], [], max(0.0, seconds))[0]
        data = os.read(process.stdout.fileno(), _READ_BYTES) if is_readable else b""
        is_last = not data and (has_ended or bool(is_readable))
        text = sanitise(decoder.decode(data, final=is_last))
        if text:
            write(text)
        if is_last:
            process.wait(max(0.1, end - time.monotonic()))
            return
        if time.monotonic() > end:
            raise TimeoutError
