"""The commands, one module per family. Importing this package declares them all, in the order of the reference."""

from gstack_browse.commands import (  # noqa: I001 - the order is the order of help and docs
    navigation,
    reading,
    snapshot,
    interaction,
    fields,
    inspection,
    logs,
    storage,
    cookie_import,
    dialogs,
    downloads,
    visual,
    emulation,
    tabs,
    handoff,
    meta,
)
from gstack_browse.local import project, skills, tool, doctor

__all__ = [
    "cookie_import",
    "dialogs",
    "doctor",
    "downloads",
    "emulation",
    "fields",
    "handoff",
    "inspection",
    "interaction",
    "logs",
    "meta",
    "navigation",
    "project",
    "reading",
    "skills",
    "snapshot",
    "storage",
    "tabs",
    "tool",
    "visual",
]
