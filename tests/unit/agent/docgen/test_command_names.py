"""Name tables: what the client and the daemon's start know of commands without their declarations."""

import pytest

from gstack_browse.agent.docgen.documents import (
    NATIVE_BEGIN,
    NATIVE_END,
    render_python_module,
    render_request_arrays,
    render_start_arrays,
    replace_names,
)
from gstack_browse.agent.local.caller import Caller
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.registry import META, READ, Registry, command
from gstack_browse.registry.arguments import Steps

SOURCE = f"before\n{NATIVE_BEGIN}old\n{NATIVE_END}after\n"


@pytest.fixture
def registry() -> Registry:
    registry = Registry()

    @command(READ, examples=["note"], aliases=["remark"], reads_stdin=True, registry=registry)
    async def note(text: Steps | None = None) -> str:
        """Note what is piped in."""
        return text or ""

    @command(META, examples=["halt"], offline="It halted", ends_daemon=True, registry=registry)
    async def halt(daemon: Daemon) -> str:
        """Halt."""
        return ""

    @command(META, examples=["several"], aliases=["many"], reads_stdin=True, registry=registry)
    async def several(daemon: Daemon, steps: Steps | None = None) -> str:
        """Run several."""
        return ""

    @command(READ, examples=["look"], aliases=["see"], registry=registry)
    async def look(page: PageCommand) -> str:
        """Look."""
        return ""

    @command(META, examples=["here"], aliases=["hither"], registry=registry)
    def here(caller: Caller) -> str:
        """Run here."""
        return ""

    return registry


def test_each_name_stands_where_its_declaration_says(registry: Registry) -> None:
    names: dict[str, object] = {}
    exec(render_python_module(registry), names)
    assert names["READS_STDIN"] == names["READS_DASH"] == {"note", "remark", "several", "many"}
    assert names["NEEDS_NO_BROWSER"] == {"note", "remark", "halt", "here", "hither", "several", "many"}
    assert names["CHAINS"] == {"several", "many"}
    assert names["ENDS_DAEMON"] == {"halt": "It halted"}
    assert names["STARTS_OFFLINE"] == set()
    assert names["LOCAL"] == {"here": __name__, "hither": __name__}


def test_names_are_written_into_the_native_client_by_what_they_need(registry: Registry) -> None:
    left = 'static const char *const LEFT_TO_PYTHON[] = {"halt", "here", "hither", NULL};\n'
    reading = 'static const char *const READS_STDIN[] = {"many", "note", "remark", "several", NULL};\n'
    assert render_request_arrays(registry) == left + reading
    expected = f"before\n{NATIVE_BEGIN}{left}{reading}{NATIVE_END}after\n"
    assert replace_names("a.c", SOURCE, render_request_arrays(registry)) == expected
    needing = 'static const char *const NEEDS_BROWSER[] = {"look", "see", NULL};\n'
    chains = 'static const char *const CHAINS[] = {"many", "several", NULL};\n'
    assert render_start_arrays(registry) == needing + chains
    with pytest.raises(ValueError, match=r"native_request\.c has no"):
        replace_names("native_request.c", "int main;\n", render_request_arrays(registry))


def test_contradictory_declarations_are_refused() -> None:
    with pytest.raises(ValueError, match="what does it answer when none runs"):

        @command(META, examples=["end"], ends_daemon=True, registry=Registry())
        async def end(daemon: Daemon) -> str:
            """End."""
            return ""

    with pytest.raises(TypeError, match="a local command is a plain function"):

        @command(META, examples=["here"], registry=Registry())
        async def here(caller: Caller) -> str:
            """Run here."""
            return ""
