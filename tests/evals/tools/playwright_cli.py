"""Drive playwright-cli in its own words, as its skill teaches.

Actions leave a snapshot in a file, `snapshot` and `find` print.
"""

import json
import re
from collections.abc import Mapping

from tests.bench.process import TimedCommand
from tests.evals.task import PLAYWRIGHT_CLI
from tests.evals.tools.agent_browser import select_script
from tests.evals.tools.browser import Browser, CommandFailedError
from tests.evals.tools.lines import Line

DOWNLOADED = re.compile(r'Downloaded file .+? to "([^"]+)"')


class PlaywrightCli(Browser):
    """playwright-cli at work."""

    name = PLAYWRIGHT_CLI
    LINE = re.compile(
        r"""(?P<indent>\s*)-\ '?(?P<role>[\w-]+)(?:\ "(?P<name>(?:[^"\\]|\\.)*)")?(?P<states>(?:\ \[[^\]]*\])*)'?
            (?::(?:\ (?P<value>.*))?)?$""",
        re.X,
    )

    def open(self, url: str) -> str:
        return self.run("goto" if self.shell.calls else "open", url)

    def look(self) -> str:
        return self.look_by("snapshot")

    def look_for(self, words: str) -> str:
        return self.look()

    def text(self, target: str = "") -> str:
        script = "el => el.innerText" if target else "document.body.innerText"
        said = self.run("--raw", "eval", script, *([target] if target else [])).strip()
        return str(json.loads(said)) if said.startswith('"') else said

    def submit(self, line: Line, value: str) -> str:
        return self.run("fill", line.ref, value, "--submit")

    def fill_form(self, values: Mapping[Line, str]) -> str:
        steps = " ".join(
            f"await page.locator('aria-ref={line.ref}').fill({json.dumps(value, ensure_ascii=False)});"
            for line, value in values.items()
        )
        return self.run("run-code", f"async page => {{ {steps} }}")

    def upload(self, line: Line, *files: str) -> str:
        said = self.click(line)
        return said + self.run("upload", *(str(self.shell.workspace / file) for file in files))

    def drop(self, line: Line, file: str) -> str:
        return self.run("drop", line.ref, f"--path={self.shell.workspace / file}")

    def download(self, line: Line, path: str) -> str:
        said = self.click(line)
        if not (match := DOWNLOADED.search(said)):
            raise CommandFailedError(
                ["click", line.ref], TimedCommand(0, 1, f"No download was reported: {said}", "")
            )
        self.shell.program("cp", match[1], path)
        return said

    def expect(self, text: str) -> str:
        return self._wait_for(
            f"getByText({json.dumps(text, ensure_ascii=False)}).filter({{ visible: true }}).first()"
        )

    def expect_role(self, role: str, name: str) -> None:
        self._wait_for(f"getByRole('{role}', {{ name: {json.dumps(name, ensure_ascii=False)} }}).first()")

    def expect_gone(self, text: str) -> str:
        words = json.dumps(text, ensure_ascii=False)
        return self._wait_for(f"getByText({words}).first()", "{ state: 'hidden' }")

    def _wait_for(self, locator: str, how: str = "") -> str:
        return self.run("run-code", f"async page => await page.{locator}.waitFor({how})")

    def settle(self) -> str:
        return self.run("run-code", "async page => await page.waitForLoadState('networkidle')")

    def answering(self, line: Line, *, accept: bool, words: str = "") -> str:
        """Click, and answer the dialog.

        A message without a choice comes after the answer, and keeps every other command from working.
        """
        said = self.click(line)
        if accept:
            answered = self.run("dialog-accept", *([words] if words else []))
        else:
            answered = self.run("dialog-dismiss")
        while '["alert" dialog' in answered:
            said, answered = said + answered, self.run("dialog-accept")
        return said + answered

    def scroll(self, line: Line | None = None, pixels: int = 0) -> str:
        if line:
            self.hover(line)
        return self.run("mousewheel", "0", str(pixels or 100_000))

    def tab(self, which: str) -> str:
        """Its tabs are counted from 0."""
        return self.run("tab-select", str(int(which) - 1))

    def select_text(self, line: Line, words: str) -> str:
        """Select by a script of the page's own world: the tool has no command for that."""
        return self.run("eval", f"() => {select_script(words)}")

    def problems(self) -> str:
        return self.run("console", "error") + self.run("requests")

    def run(self, *words: str, stdin: str = "") -> str:
        """A failure is said on standard output, under a heading."""
        said = super().run(*words, stdin=stdin)
        if said.startswith("### Error") or "\n### Error" in said:
            raise CommandFailedError(words, TimedCommand(0, 1, said, ""))
        return said
