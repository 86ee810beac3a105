"""Processes that tests look at, any of which may end while they do."""

from typing import Any

import psutil


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
