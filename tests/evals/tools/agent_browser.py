"""Drive agent-browser in its own words, as its skill teaches.

Refs from `snapshot -i`, `wait` for what comes, `get text` to read.
"""

import json
import re
from collections.abc import Mapping, Sequence

from tests.evals.task import AGENT_BROWSER
from tests.evals.tools.browser import Browser, CannotError, CommandFailedError, direction_and_pixels
from tests.evals.tools.lines import Line

WAIT = ["--timeout", "8000"]


class AgentBrowser(Browser):
    """agent-browser at work."""

    name = AGENT_BROWSER
    LINE = re.compile(
        r"""(?P<indent>\s*)-\ (?P<role>[\w-]+)(?:\ "(?P<name>(?:[^"\\]|\\.)*)")?(?:\ \[(?P<states>[^\]]*)\])?
            (?::?\ (?P<value>.*))?""",
        re.X,
    )
    REF = "@"
    pause_ms = 300

    def open(self, url: str) -> str:
        return self.run("open", url)

    def look(self) -> str:
        return self.look_by("snapshot", "-i")

    def look_for(self, words: str) -> str:
        """Its interactive snapshot says nothing of rows: the compact one does."""
        return self.look_by("snapshot", "-c")

    def text(self, target: str = "") -> str:
        return self.run("get", "text", target or "body")

    def click(self, line: Line) -> str:
        """Click; an element out of view in a frame, which is not scrolled there, gets the focus and a key."""
        try:
            return self.run("click", line.ref)
        except CommandFailedError as failed:
            if "outside the viewport" not in failed.output:
                raise
            return self.run("focus", line.ref) + self.press("Enter")

    def fill(self, line: Line, value: str) -> str:
        """Fill; a slider by a script.

        `fill` types into the element that has the focus when the field is a slider, and says that it is done.
        """
        if line.role != "slider":
            return self.run("fill", line.ref, value)
        return self.run("focus", line.ref) + self.run("eval", "--stdin", stdin=set_script(value))

    def fill_form(self, values: Mapping[Line, str]) -> str:
        steps = [["fill", line.ref, value] for line, value in values.items()]
        return self.run("batch", "--bail", stdin=json.dumps(steps))

    def fill_date(self, label: str, day: str) -> str:
        """None of its commands sets a date, though `fill` says it did: a script does."""
        script = (
            "(() => { const i = document.querySelector('input[type=date]'); i.value = "
            f"'{day}'; i.dispatchEvent(new Event('input', {{ bubbles: true }})); return i.value }})()"
        )
        return self.run("eval", "--stdin", stdin=script)

    def type(self, text: str) -> str:
        return self.run("keyboard", "type", text)

    def upload(self, line: Line, *files: str) -> str:
        """Upload to a field; behind a button the field is found by its selector.

        Of a relative path the tool says that it is done.
        """
        paths = [str(self.shell.workspace / file) for file in files]
        try:
            return self.run("upload", line.ref, *paths)
        except CommandFailedError as failed:
            if "not a file input" not in failed.output:
                raise
            return self.run("upload", "input[type=file]", *paths)

    def drop(self, line: Line, file: str) -> str:
        raise CannotError("agent-browser drops no files on a page")

    def expect(self, text: str) -> str:
        return self.run("wait", "--text", text, *WAIT)

    def expect_gone(self, text: str) -> str:
        words = json.dumps(text, ensure_ascii=False)
        return self.run("wait", "--fn", f"!document.body.innerText.includes({words})", *WAIT)

    def follow(self, *words: str) -> str:
        """Wait for the effects of an action: the tool's actions do not wait.

        Its guide has one wait for what one expects; quiet takes half a second longer to be sure of.
        """
        if not words:
            return self.settle()
        return self.expect(words[0]) if len(words) == 1 else self.run("wait", "--fn", any_script(words), *WAIT)

    def settle(self) -> str:
        return self.run("wait", "--load", "networkidle")

    def answering(self, line: Line, *, accept: bool, words: str = "") -> str:
        said = self.click(line)
        if not accept:
            return said + self.run("dialog", "dismiss")
        return said + self.run("dialog", "accept", *([words] if words else []))

    def scroll(self, line: Line | None = None, pixels: int = 0) -> str:
        scope = ["--selector", line.ref] if line else []
        return self.run("scroll", *direction_and_pixels(pixels or 100_000), *scope)

    def tab(self, which: str) -> str:
        return self.run("tab", f"t{which}")

    def select_text(self, line: Line, words: str) -> str:
        """Select by a script of the page's own world: the tool has no command for that."""
        return self.run("eval", "--stdin", stdin=select_script(words))

    def problems(self) -> str:
        return self.run_all(["errors"], ["console"], ["network", "requests", "--status", "400-599"])


def any_script(words: Sequence[str]) -> str:
    """Tells whether the page shows one of these."""
    return f"{json.dumps(words, ensure_ascii=False)}.some(each => document.body.innerText.includes(each))"


def set_script(value: str) -> str:
    """Sets what has the focus, as a person's input does."""
    return (
        f"(() => {{ const i = document.activeElement; i.value = {json.dumps(value)};"
        "for (const t of ['input', 'change']) i.dispatchEvent(new Event(t, { bubbles: true })); return i.value })()"
    )


def select_script(words: str) -> str:
    """Selects words in the first editor that has them."""
    return (
        "(() => { const w = " + json.dumps(words, ensure_ascii=False) + ";"
        "const t = document.createTreeWalker(document.querySelector('[contenteditable]'), NodeFilter.SHOW_TEXT);"
        "while (t.nextNode()) { const i = t.currentNode.data.indexOf(w);"
        "if (i >= 0) { getSelection().setBaseAndExtent(t.currentNode, i, t.currentNode, i + w.length); return true } }"
        "return false })()"
    )
