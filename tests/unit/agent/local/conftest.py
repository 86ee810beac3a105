"""A workspace with a repository in it, a home, and local commands that run there."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.agent.local.local_command import run_local_command
from gstack_browse.errors import BrowseError, from_reply
from gstack_browse.protocol import Reply, Request
from gstack_browse.registry import REGISTRY

assert commands
Run = Callable[..., str]


class Place:
    """A workspace in which local commands are run."""

    def __init__(self, path: Path) -> None:
        self.workspace = path / "work"
        self.home = path / "home"
        self.programs = path / "bin"
        for folder in (self.workspace, self.programs):
            folder.mkdir()
        self.environment = {
            "GSTACK_HOME": str(self.home),
            "HOME": str(path),
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.notes: list[str] = []

    def reply(self, name: str, *words: str) -> Reply:
        command = REGISTRY.commands[name]
        request = Request(name, words, cwd=str(self.workspace))
        return run_local_command(request, command.handler.__module__, str(self.workspace), self.environment)

    def __call__(self, name: str, *words: str) -> str:
        """Run a command that must work. Returns its text."""
        reply = self.reply(name, *words)
        self.notes = reply.notes
        if reply.code:
            raise from_reply(reply.error, reply.code, reply.message, reply.hint)
        return reply.text

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=Me", "-c", "user.email=me@test"]
        done = subprocess.run(
            ["git", *identity, *words],
            cwd=self.workspace,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def program(self, name: str, script: str) -> None:
        """A program of that name on PATH."""
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def repository(place: Place) -> Place:
    place.git("init", "-q", "-b", "main")
    (place.workspace / "a.txt").write_text("one\n")
    place.git("add", ".")
    place.git("commit", "-qm", "one")
    return place


__all__ = ["BrowseError", "Place"]
