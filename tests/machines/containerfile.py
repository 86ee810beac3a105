"""Carry out the steps of `deploy/Containerfile` on new Debians, without Docker and registry.

Only what that file uses: FROM a Debian, ARG, ENV, COPY, RUN, USER, WORKDIR; labels and the last words are values.
What a registry adds (layers, an image to push) is not tried.
"""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

from tests.machines.debian import ROOT, Machine

FILE = ROOT / "deploy/Containerfile"


class Step(NamedTuple):
    """An instruction and its words, continued lines joined."""

    instruction: str
    words: str


def read_steps(text: str) -> list[Step]:
    """Split the file into instructions."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    joined = lines.replace("\\\n", " ").splitlines()
    return [Step(*line.split(maxsplit=1)) for line in joined if line.strip()]


def list_context() -> list[str]:
    """Return what `.dockerignore` lets into the image: it forbids everything and names exceptions."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    return [line[1:] for line in lines if line.startswith("!")]


class Image:
    """A stage of the build: a machine, and what its file has set."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.environment: dict[str, str] = {}
        self.user = "root"
        self.directory = "/"
        self.words: dict[str, str] = {}
        """Instruction → words, of those that are only kept: LABEL, HEALTHCHECK, CMD."""

    def run(self, command: str) -> str:
        """Run a shell command as this stage's user, with its variables, in its directory."""
        settings = "".join(f"export {name}={shlex.quote(value)}; " for name, value in self.environment.items())
        return self.machine.must(f"{settings}cd {self.directory}; {command}", user=self.user)

    def apply(self, step: Step, stages: "dict[str, Image]") -> None:
        """Carry out one instruction."""
        name, words = step
        if name in ("ARG", "ENV"):
            for word in shlex.split(words):
                key, _, value = word.partition("=")
                self.environment[key] = value
        elif name == "RUN":
            self.run(words)
        elif name == "COPY":
            self._copy(words.split(), stages)
        elif name == "USER":
            self.user = words
        elif name == "WORKDIR":
            self.directory = words
        else:
            assert name in ("LABEL", "HEALTHCHECK", "CMD"), step
            self.words[name] = words

    def health_check(self) -> str:
        """Return the command that checks the container's health."""
        found = re.search(r"CMD (\[.*\])$", self.words["HEALTHCHECK"])
        assert found
        return shlex.join(json.loads(found[1]))

    def _copy(self, words: list[str], stages: "dict[str, Image]") -> None:
        *options, source, target = words
        if not options:
            for name in list_context():
                _copy_into(ROOT / name, self.machine.changes / target.strip("/") / name)
            return
        stage = stages[options[0].removeprefix("--from=")]
        _copy_into(stage.machine.changes / source.strip("/"), self.machine.changes / target.strip("/"))


def _copy_into(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".gstack", "__pycache__"))
    else:
        shutil.copy(source, target)
