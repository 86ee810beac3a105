"""Pages: what runs in them before their own scripts."""

from pathlib import Path
from typing import Annotated

from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.reading import evaluate
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import Count
from gstack_browse.registry.values.argument_type import ArgumentType, Piped, or_piped
from gstack_browse.registry.values.paths import parse_file_for_page
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.table_output import align_columns
from gstack_browse.text.units import format_count

ScriptFile = Annotated[
    Path | Piped,
    ArgumentType(
        "file|-",
        "a file of JavaScript, or - for standard input",
        or_piped(parse_file_for_page),
        hint="file",
        piped=True,
    ),
]


@command(
    META,
    examples=["init-script mock-clock.js", "init-script --remove 2"],
    forms="<file|-> | --remove <n>",
    fresh=True,
)
async def init_script(page: PageCommand, file: ScriptFile | None = None, *, remove: Count | None = None) -> str:
    """Run a script in every page before the page's own, from the next one that loads on.

    In frames of every site, windows and new tabs, too, and after 'restart'. The script runs as a part of the page: it can
    replace Date, fetch or navigator there.

    remove: run the script of that number no more
    """
    if (file is None) == (remove is None):
        raise UsageError("init-script takes one of: a file, or --remove")
    if remove is not None:
        removed = await page.context.init_scripts.remove(remove)
        return f"Removed script {remove}: {removed.name}\n→ pages that are open keep what it did: 'reload'"
    source = str(file) if isinstance(file, Piped) else evaluate.read_script(Path(str(file)))
    await _require_syntax(page, source)
    name = "standard input" if isinstance(file, Piped) else one_line(Path(str(file)).name, 100)
    number = await page.context.init_scripts.add(name, source)
    return f"Script {number}: {name}\n→ runs in pages that load from now on: 'reload' for this one"


async def _require_syntax(page: PageCommand, source: str) -> None:
    """Raise ActionFailed if `source` has a syntax error of JavaScript.

    Otherwise only the pages would report it, each time one is loaded.
    """
    question = {"expression": f"(() => {{{source}\n}})()", "sourceURL": "", "persistScript": False}
    answer = await page.world.frames.target.session.send("Runtime.compileScript", question)
    if wrong := answer.get("exceptionDetails"):
        message = str(wrong.get("exception", {}).get("description", wrong["text"])).split("\n")[0]
        raise ActionFailed(
            f"Line {wrong['lineNumber'] + 1}: {one_line(message, 200)}; the script was not added"
        )


@command(READ, examples=["init-scripts"])
async def init_scripts(browser: OpenContext) -> str:
    """List the scripts that run in every page before the page's own."""
    scripts = browser.init_scripts.scripts
    rows = [
        [str(number), script.name, format_count(len(script.source), "character")]
        for number, script in scripts.items()
    ]
    return align_columns(rows) if rows else "(no scripts)"
