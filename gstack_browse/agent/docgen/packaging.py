"""Generate the files that package managers and agents' marketplaces look for.

Each is written to the path where it is looked for.
"""

import json
from pathlib import Path

from gstack_browse import __version__
from gstack_browse.agent.docgen.manual import render_manual
from gstack_browse.agent.skills import packaged
from gstack_browse.registry import Registry
from gstack_browse.registry.completion import render_script

SHARE = "deploy/share"
"""What the wheel installs as `share/`; distributions use the same folders below `/usr/share`."""

_COMPLETIONS = {
    "bash": "bash-completion/completions/gbrowse",
    "zsh": "zsh/site-functions/_gbrowse",
    "fish": "fish/vendor_completions.d/gbrowse.fish",
}
_STUB = "./deploy/skills/gbrowse"


def generate_packaging(root: Path, registry: Registry) -> dict[Path, str]:
    """Return path → full text of the manual page, the completions and the list for marketplaces."""
    share = root / SHARE
    return {
        share / "man/man1/gbrowse.1": render_manual(registry),
        **{share / path: render_script(registry, shell) + "\n" for shell, path in _COMPLETIONS.items()},
        root / ".claude-plugin/marketplace.json": render_marketplace(),
    }


def render_marketplace() -> str:
    """Render the list of plugins in which Claude Code and `npx skills add` find the repository's skills."""
    names = packaged.list_names()
    whole = "All skills: browse, test, review and design with a Chromium that stays open."
    stub = "One short skill that has the installed gbrowse print the skill of its own version."
    fields = {
        "name": "gbrowse",
        "owner": {"name": "gbrowse"},
        "metadata": {"description": "Skills that drive a browser from the shell", "version": __version__},
        "plugins": [
            _render_plugin("gbrowse", whole, [f"./gstack_browse/agent/skills/{name}" for name in names]),
            _render_plugin("gbrowse-stub", stub, [_STUB]),
        ],
    }
    return json.dumps(fields, indent=2) + "\n"


def _render_plugin(name: str, description: str, skills: list[str]) -> dict[str, object]:
    return {"name": name, "source": "./", "description": description, "strict": False, "skills": skills}
