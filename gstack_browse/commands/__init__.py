"""Commands, one module per family.

A family is imported when one of its commands is first asked for.
"""

from gstack_browse.command_names import DECLARED_IN
from gstack_browse.registry import REGISTRY

FAMILIES = (
    "gstack_browse.commands.navigation",
    "gstack_browse.commands.reading",
    "gstack_browse.commands.snapshot",
    "gstack_browse.commands.interaction",
    "gstack_browse.commands.fields",
    "gstack_browse.commands.waiting",
    "gstack_browse.commands.expecting",
    "gstack_browse.commands.gestures",
    "gstack_browse.commands.inspection",
    "gstack_browse.commands.audit",
    "gstack_browse.commands.measuring",
    "gstack_browse.commands.logs",
    "gstack_browse.commands.network",
    "gstack_browse.commands.recording",
    "gstack_browse.commands.cookies",
    "gstack_browse.commands.storage",
    "gstack_browse.commands.state",
    "gstack_browse.commands.cookie_import",
    "gstack_browse.commands.secrets",
    "gstack_browse.commands.requests",
    "gstack_browse.commands.shaping",
    "gstack_browse.commands.replaying",
    "gstack_browse.commands.dialogs",
    "gstack_browse.commands.downloads",
    "gstack_browse.commands.visual",
    "gstack_browse.commands.design",
    "gstack_browse.commands.design_pictures",
    "gstack_browse.commands.emulation",
    "gstack_browse.commands.tabs",
    "gstack_browse.commands.contexts",
    "gstack_browse.commands.pages",
    "gstack_browse.commands.handoff",
    "gstack_browse.commands.connecting",
    "gstack_browse.commands.attaching",
    "gstack_browse.local.running",
    "gstack_browse.commands.boards",
    "gstack_browse.commands.meta",
    "gstack_browse.local.project",
    "gstack_browse.local.skills",
    "gstack_browse.local.tool",
    "gstack_browse.local.doctor",
)
"""In the order of help and of the reference."""

__all__ = ["FAMILIES"]

REGISTRY.declare_in(FAMILIES, DECLARED_IN)
