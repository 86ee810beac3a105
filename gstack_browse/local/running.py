"""Scripts: Playwright scripts in Python that run in the live browser."""

from pathlib import Path
from typing import Annotated

from gstack_browse.errors import UsageError
from gstack_browse.local.caller import Caller
from gstack_browse.registry import WRITE, command
from gstack_browse.registry.argument_type import ArgumentType, Piped, or_piped
from gstack_browse.registry.arguments import Word
from gstack_browse.registry.paths import CallerPaths, in_file

_OTHER_LANGUAGES = (".js", ".mjs", ".cjs", ".ts", ".mts")
SECONDS = 600


def _parse_script(word: str, paths: CallerPaths) -> Path:
    """Return the path of a Python script. Raises UsageError for another language, FileFailed."""
    if word.endswith(_OTHER_LANGUAGES):
        raise UsageError(
            f"Only Python scripts run: {word} is none",
            "Node's Playwright and Puppeteer attach by themselves: gbrowse attach --tcp (see docs/attach.md)",
        )
    return in_file(word, paths)


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
    """
    from gstack_browse.local.script_process import run_in_process  # subprocess: no part of the declarations

    if isinstance(script, Piped):
        return run_in_process(caller, str(script), "<stdin>", "", words)
    try:
        source = script.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{script.name} is no text (UTF-8)") from None
    return run_in_process(caller, source, script.name, str(script.resolve().parent), words)
