"""Processes that tests look at, any of which may end while they do."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

Completed = subprocess.CompletedProcess[str]


def run_program(words: Sequence[str | Path], **options: Any) -> Completed:
    """Run a program to its end, and return what it printed. Nothing is piped in but `input`."""
    usual = {"capture_output": True, "text": True, "timeout": 120, "check": False}
    if "input" not in options:
        usual["stdin"] = subprocess.DEVNULL
    return subprocess.run(words, **(usual | options))


def words(process: psutil.Process) -> list[str]:
    """Return the words that a process was started with; an empty list if it has just ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def setting(process: psutil.Process, name: str) -> str | None:
    """Return a variable of a process's environment; None if it has just ended."""
    try:
        return process.environ().get(name)
    except psutil.NoSuchProcess:
        return None


def internet_connections(process: psutil.Process) -> list[Any]:
    """The Internet sockets of a process and of those that it has started."""
    return [
        connection for one in (process, *process.children(recursive=True)) for connection in _connections(one)
    ]


def _connections(process: psutil.Process) -> list[Any]:
    try:
        return process.net_connections("inet")
    except psutil.NoSuchProcess:
        return []
