"""Drive gbrowse in its own words.

Refs from `snapshot -i`, replies that say what followed, `expect` for results.
"""

import json
import re
import shlex
from collections.abc import Mapping

from tests.evals.task import GBROWSE
from tests.evals.tools.browser import Browser, CommandFailedError, direction_and_pixels
from tests.evals.tools.lines import Line

STILL_LOADING = "still loading"
SILENT = 9
"""The exit code for a daemon that does not answer."""


EQUAL = re.compile(r"(?P<lead>[-+ ]*)@(?P<kind>[ec])(?P<first>\d+)–@[ec](?P<last>\d+) \d+× (?P<rest>.*)")
COUNTING = re.compile(r"(?P<row>[-+ ]*@[ec]\d+ .*?)(?P<others>(?:[;,] \d+: @[ec]\d+){5,})")


def _lines_of_run(row: str) -> list[str]:
    """Return the lines that a line of a snapshot stands for: several where it joins a run."""
    if match := EQUAL.fullmatch(row):
        refs = range(int(match["first"]), int(match["last"]) + 1)
        return [f"{match['lead']}@{match['kind']}{ref} {match['rest']}" for ref in refs]
    if not (match := COUNTING.fullmatch(row)):
        return [row]
    lines, before = [match["row"]], None
    for number, ref in re.findall(r"(\d+): (@[ec]\d+)", match["others"]):
        before = str(int(number) - 1)
        text = re.sub(r"@[ec]\d+", ref, lines[-1], count=1)
        head, name = text.split("[", 1)
        lines.append(f"{head}[" + re.sub(rf"(?<!\d){before}(?!\d)", number, name, count=1))
    return lines


class Gbrowse(Browser):
    """gbrowse at work."""

    name = GBROWSE
    LINE = re.compile(
        r"""(?P<indent>\s*)(?:(?P<ref>@[ec]\d+)\ )?\[(?P<role>[^\]]+)\]
            (?:\ "(?P<name>(?:[^"\\]|\\.)*)")?
            (?P<aside>(?:\ \((?:[^()"]|"[^"]*"|\([^()]*\))*\))*)
            (?P<states>(?:\ \[(?:[^\]"]|"[^"]*")*\])*)
            (?::\ (?P<value>.*))?""",
        re.X,
    )

    @classmethod
    def parsed(cls, printed: str) -> list[Line]:
        """The lines of a snapshot; those of a run one by one, as its reader counts them."""
        return super().parsed("\n".join(line for row in printed.splitlines() for line in _lines_of_run(row)))

    def open(self, url: str) -> str:
        """Open a page; where the daemon is kept from answering, on a busy machine, ask for its status first.

        Its error says so.
        """
        try:
            return self.run("goto", url)
        except CommandFailedError as failed:
            if failed.code != SILENT:
                raise
            self.run("status")
            return self.run("goto", url)

    def visit(self, url: str, text: str = "") -> str:
        """Open a page and look, in one chain, as the skill teaches."""
        steps = [["goto", url], *([["expect", "text", text]] if text else []), ["snapshot", "-i"]]
        try:
            printed = self.run("chain", stdin="\n".join(map(shlex.join, steps)))
        except CommandFailedError as failed:
            if failed.code != SILENT:
                raise
            return super().visit(url, text)
        self.lines = self.parsed(printed.partition("[snapshot] ")[2])
        return printed

    def renew(self) -> None:
        """Do nothing: a reference is followed to what was drawn anew in its place."""

    def shows(self, words: str) -> bool:
        return "(nothing here" not in self.look_for(words)

    def look(self) -> str:
        return self.look_by("snapshot", "-i")

    def look_again(self) -> str:
        """The lines that went and came; a line that stayed keeps its reference."""
        printed = self.run("snapshot", "-iD")
        rows = printed.splitlines()
        gone = {line.ref for line in self.parsed("\n".join(row[1:] for row in rows if row.startswith("-")))}
        new = self.parsed("\n".join(row[1:] for row in rows if row.startswith("+")))
        self.lines = [line for line in self.lines if line.ref not in gone] + new
        return printed

    def look_for(self, words: str) -> str:
        return self.look_by("snapshot", "--find", words)

    def text(self, target: str = "") -> str:
        return self.run("text", *([target] if target else []))

    def submit(self, line: Line, value: str) -> str:
        return self.run("fill", line.ref, value, "--submit")

    def fill_form(self, values: Mapping[Line, str]) -> str:
        return self.run("fill-form", json.dumps({line.ref: value for line, value in values.items()}))

    def expect(self, text: str) -> str:
        """The reply to an action names the message that followed: then there is nothing to ask."""
        if any(line.startswith("→ says ") and text in line for line in self.said.splitlines()):
            return self.said
        return self.run("expect", "text", text)

    def expect_role(self, role: str, name: str) -> None:
        self.run("expect", "visible", f'role={role}[name="{name}"]')

    def expect_gone(self, text: str) -> str:
        return self.run("expect", "--not", "text", text)

    def follow(self, *words: str) -> str:
        """Actions wait, and say so where something is still under way afterwards."""
        return self.settle() if STILL_LOADING in self.said else ""

    def settle(self) -> str:
        return self.run("wait", "--networkidle")

    def answering(self, line: Line, *, accept: bool, words: str = "") -> str:
        """Say the answer beforehand: the click does not wait for it."""
        if accept and not words:
            return self.click(line)
        self.run(*(["dialog-accept", words] if accept else ["dialog-dismiss"]))
        return self.click(line)

    def scroll(self, line: Line | None = None, pixels: int = 0) -> str:
        if line is None:
            return self.run("scroll", *direction_and_pixels(pixels)) if pixels else self.run("scroll", "bottom")
        return self.run("scroll", line.ref, *direction_and_pixels(pixels))

    def tab(self, which: str) -> str:
        return self.run("tab", which)

    def select_text(self, line: Line, words: str) -> str:
        return self.run("select-text", line.ref, "--from", words, "--to", words)

    def problems(self) -> str:
        return self.run_all(["console", "--errors"], ["network", "--failed"])

    def one_time_code(self, line: Line, secret: str, origin: str) -> str:
        self.run("secret-set", "otp", "--origin", origin, "--totp", stdin=secret)
        return self.run("fill", line.ref, "--secret", "otp")
