"""Follow a skill as an agent would.

Its fenced shell blocks run as printed, in a project of their own, through the real client.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
SKILLS = ".claude/skills"
"""Where `skills-install` puts them in the project: what is followed is what an agent reads."""

_HEADING = re.compile(r"#+ (.+)\Z")
_PLACEHOLDER = re.compile(r"<[a-z][a-z -]*>")
_REF = re.compile(r"@[ec][0-9]+")
_FENCE = re.compile(r"^--- (?:page|end) [0-9a-f]{6} ---\n", re.M)
_LINE = re.compile(r"^\s*(?:\[snapshot\] )?(@[ec][0-9]+) \[([a-z]+)\](.*)", re.M)


class Block(NamedTuple):
    """A fenced block of shell, and the heading that it stands under."""

    heading: str
    code: str


class Reply(NamedTuple):
    """Output of a block, standard output and error as they came, and its exit code."""

    text: str
    code: int

    @property
    def unfenced(self) -> str:
        """Return what the page says, as an agent reads it between the lines of the fence."""
        return _FENCE.sub("", self.text)


class Project:
    """A workspace with what an agent keeps in mind there: where gbrowse is, and the snapshot it saw last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen = ""
        self.env = {
            **{
                name: value for name, value in os.environ.items() if not name.startswith(("BROWSE_", "GSTACK_"))
            },
            "BROWSE_CHROMIUM": os.environ.get("BROWSE_CHROMIUM", ""),
            "GSTACK_HOME": str(path.parent / "home"),
            "PATH": f"{ROOT / 'bin'}:{os.environ['PATH']}",
            "B": f"{ROOT}/bin/gbrowse --fence",
            "DISPLAY": "",
            "WAYLAND_DISPLAY": "",
        }

    def bash(self, code: str) -> Reply:
        done = subprocess.run(
            ["bash", "-c", f"umask 002\n{code}"],  # as on many systems: a group may write what a user makes
            cwd=self.path,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        self.seen = done.stdout if _LINE.search(done.stdout) else self.seen
        return Reply(done.stdout, done.returncode)

    def gbrowse(self, *words: str) -> str:
        """Run one command of the tester's own."""
        command = [ROOT / "bin/gbrowse", *words]
        return subprocess.run(
            command, cwd=self.path, env=self.env, capture_output=True, text=True, timeout=60
        ).stdout

    def ref(self, role: str, words: str) -> str:
        """The ref that the last snapshot printed on the line of that role with those words."""
        found = [ref for ref, its_role, rest in _LINE.findall(self.seen) if its_role == role and words in rest]
        assert found, f'no [{role}] "{words}" in:\n{self.seen}'
        return found[0]


class Follower:
    """A file of a skill, followed block by block."""

    def __init__(self, project: Project, skill: str, file: str = "SKILL.md") -> None:
        self.project = project
        self.blocks = blocks((project.path / SKILLS / skill / file).read_text(encoding="utf-8"))
        self._left = list(range(len(self.blocks)))

    def follow(
        self, heading: str, number: int = 1, refs: Mapping[str, tuple[str, str]] | None = None, **fills: str
    ) -> Reply:
        """Run the block of that number under the heading.

        `fills` stand for its placeholders (`url` for <url>), `refs` say which element the agent takes for each ref: its role and words of its line.
        """
        index, block = [item for item in enumerate(self.blocks) if item[1].heading == heading][number - 1]
        if index in self._left:
            self._left.remove(index)
        return self.project.bash(self._filled(block.code, refs or {}, fills))

    def begin(self) -> None:
        """Find gbrowse and run the preamble, as every skill does."""
        heading = self.blocks[0].heading
        assert "READY " in self.follow(heading).text
        assert self.follow(heading, 2).code == 0

    def leave_out(self, heading: str) -> None:
        """Say that a block is not for this project."""
        self._left.remove([block.heading for block in self.blocks].index(heading))

    def unfollowed_blocks(self) -> list[Block]:
        """Return the blocks that were not followed yet."""
        return [self.blocks[index] for index in self._left]

    def _filled(self, code: str, refs: Mapping[str, tuple[str, str]], fills: Mapping[str, str]) -> str:
        code = _REF.sub(lambda match: self.project.ref(*refs[match[0]]), code)
        return _PLACEHOLDER.sub(lambda match: fills[re.sub("[ -]", "_", match[0][1:-1])], code)


def blocks(text: str) -> list[Block]:
    """The ```bash blocks of a document."""
    found, heading, code = [], "", None
    for line in text.split("\n"):
        if code is not None and line.strip() == "```":
            found.append(Block(heading, "\n".join(code)))
            code = None
        elif code is not None:
            code.append(line)
        elif line.strip() == "```bash":
            code = []
        elif match := _HEADING.match(line):
            heading = match[1]
    return found
