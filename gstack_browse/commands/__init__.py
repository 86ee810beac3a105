"""Commands, one module per family.

A family is imported when one of its commands is first asked for.
"""

from gstack_browse.command_names import DECLARED_IN
from gstack_browse.registry import REGISTRY

FAMILIES = (
    "gstack_browse.commands.acting.navigation",
    "gstack_browse.commands.reading.reading",
    "gstack_browse.commands.reading.web_reading",
    "gstack_browse.commands.reading.tables",
    "gstack_browse.commands.reading.snapshot",
    "gstack_browse.commands.acting.interaction",
    "gstack_browse.commands.acting.fields",
    "gstack_browse.commands.acting.waiting",
    "gstack_browse.commands.acting.expecting",
    "gstack_browse.commands.acting.gestures",
    "gstack_browse.commands.reading.inspection",
    "gstack_browse.commands.reading.audit",
    "gstack_browse.commands.reading.measuring",
    "gstack_browse.commands.reading.logs",
    "gstack_browse.commands.network.network",
    "gstack_browse.commands.network.recording",
    "gstack_browse.commands.session.storage",
    "gstack_browse.commands.session.state",
    "gstack_browse.commands.session.cookie_import",
    "gstack_browse.commands.session.secrets",
    "gstack_browse.commands.network.requests",
    "gstack_browse.commands.network.shaping",
    "gstack_browse.commands.network.replaying",
    "gstack_browse.commands.session.dialogs",
    "gstack_browse.commands.session.downloads",
    "gstack_browse.commands.reading.visual",
    "gstack_browse.commands.reading.design",
    "gstack_browse.commands.reading.design_pictures",
    "gstack_browse.commands.reading.design_verdicts",
    "gstack_browse.commands.acting.emulation",
    "gstack_browse.commands.session.tabs",
    "gstack_browse.commands.session.contexts",
    "gstack_browse.commands.pages",
    "gstack_browse.commands.session.handoff",
    "gstack_browse.commands.session.watching",
    "gstack_browse.commands.session.connecting",
    "gstack_browse.commands.session.attaching",
    "gstack_browse.agent.local.playwright_scripts",
    "gstack_browse.agent.local.traces",
    "gstack_browse.commands.session.boards",
    "gstack_browse.commands.flow.flows",
    "gstack_browse.commands.flow.flow_run",
    "gstack_browse.commands.flow.flow_formats",
    "gstack_browse.commands.session.filming",
    "gstack_browse.commands.meta",
    "gstack_browse.agent.local.project",
    "gstack_browse.agent.local.designs",
    "gstack_browse.agent.local.skills",
    "gstack_browse.agent.local.config",
    "gstack_browse.agent.local.version_commands",
    "gstack_browse.agent.local.reports",
    "gstack_browse.agent.local.demo.command",
    "gstack_browse.agent.local.checks.doctor",
)
"""In the order of help and of the reference."""

__all__ = ["FAMILIES"]

REGISTRY.set_modules(FAMILIES, DECLARED_IN)
