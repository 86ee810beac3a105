"""Demo: see in a few seconds what gbrowse does."""

import re
import shlex
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import BrowseError, UsageError
from gstack_browse.registry import WRITE, command

PAGE = Path(__file__).with_name("page.html")

STEPS = (
    ("Read what can be operated. Each line begins with a ref", "snapshot -i"),
    ("Act on refs. An action waits, verifies, and says what it caused", "fill {Name} Ann"),
    ("", "select {Tea} Sencha"),
    ("", "check {gift}"),
    ("", "click {Order}"),
    ("Expect, as a test does", "expect text 'Thank you, Ann: Sencha, as a gift'"),
    ("A ref never means another element: the button has gone", "click {Order}"),
)
"""What is said before a command, and the command. `{Name}` is the ref of the line with that word."""
LOOK_SECONDS = 0.8
"""How long each step of the film is seen."""


@command(WRITE, examples=["demo"], page_text=True, timeout=60)
def demo(caller: Caller) -> str:
    """Walk through a page of ours in a new tab: read it, fill it in, check what happened, and film it.

    Each command is shown as it is typed. Needs no network. The tab is closed at the end, and the browser stays. There is no film
    where something is filmed already.
    """
    tab = caller.ask_daemon("newtab").split()[-1]
    try:
        if caller.ask_daemon("url") != "about:blank":  # --tab names another one
            raise UsageError("demo opens a tab of its own", "Type it without --tab")
        return _print_parts(caller, _run_demo(caller))
    finally:
        caller.ask_daemon("closetab", tab)


def _print_parts(caller: Caller, parts: Iterator[str]) -> str:
    """Print each part of the output as it comes and return ""; return all if it is fenced or not streamed."""
    if not caller.streams or caller.fence:
        return "\n".join(parts)
    for part in parts:
        sys.stdout.write(f"{part}\n")
        sys.stdout.flush()
    return ""


def _run_demo(caller: Caller) -> Iterator[str]:
    """Run the demo's steps, filmed if possible. Yield terminal output: remarks, commands, replies."""
    caller.ask_daemon("load-html", str(PAGE), "--any-file")
    began = _begin_film(caller)
    try:
        if began:
            yield f"# Film what happens\n$ gbrowse film-start\n{began}\n"
        yield from _run_steps(caller, LOOK_SECONDS if began else 0.0)
    finally:
        made = caller.ask_daemon("film-stop") if began else ""
    if made:
        yield f"\n# Watch the film\n$ gbrowse film-stop\n{made}"


def _begin_film(caller: Caller) -> str:
    """Start to film the tab. Return the daemon's reply; "" if a film is running or unfinished already."""
    try:
        reply = caller.ask_daemon("film-start")
    except BrowseError:  # such as a take of which no film was made
        return ""
    return reply if reply.startswith("Filming tab ") else ""


def _run_steps(caller: Caller, seconds: float) -> Iterator[str]:
    """Run the demo's steps, and wait `seconds` after each. Yield remarks, command lines and replies."""
    seen = ""
    for index, (remark, template) in enumerate(STEPS):
        line = re.sub(r"\{(\w+)\}", partial(_find_ref, seen), template)
        if remark:
            yield f"{chr(10) if index else ''}# {remark}"
        yield f"$ gbrowse {line}"
        try:
            reply = caller.ask_daemon(*shlex.split(line))
        except BrowseError as error:
            if index + 1 < len(STEPS):  # only the last step is meant to fail
                raise
            reply = f"Error: {error.message}\n{error.hint}".rstrip()
        seen = seen or reply
        yield reply
        time.sleep(seconds)


def _find_ref(snapshot: str, placeholder: re.Match[str]) -> str:
    """Return the ref for a placeholder `{Word}`: that of the snapshot's only line with this word."""
    [ref] = re.findall(rf"^\s*(@e\d+) .*\b{placeholder[1]}\b.*$", snapshot, re.M)
    return str(ref)
