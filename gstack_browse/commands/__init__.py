"""The commands, one module per family. Importing this package declares them all, in the order of the reference."""

from gstack_browse.commands import (  # noqa: I001 - the order is the order of help and docs
    navigation,
    reading,
    interaction,
    inspection,
    logs,
    visual,
    tabs,
    meta,
)

__all__ = ["inspection", "interaction", "logs", "meta", "navigation", "reading", "tabs", "visual"]
