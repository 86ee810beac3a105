"""`BROWSE_EXTENSIONS_DIR` loads an unpacked extension, wherever the tabs go."""

import json
from pathlib import Path

from tests import chromiums
from tests.e2e.daemon.harness import DaemonHarness, Site


def make_extension(folder: Path) -> None:
    """Make one that marks every page it sees."""
    script = {"matches": ["<all_urls>"], "js": ["mark.js"]}
    manifest = {"manifest_version": 3, "name": "Mark", "version": "1", "content_scripts": [script]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "mark.js").write_text("document.documentElement.lang = 'marked';")


def test_extension_works_with_another_user_agent_and_after_a_restart_once_it_is_there(
    home: DaemonHarness, site: Site
) -> None:
    home.env |= {"BROWSE_EXTENSIONS_DIR": "../extension", "BROWSE_CHROMIUM": chromiums.named_with_windows()}
    assert "which is no directory" in home.fails(1, "goto", "about:blank")
    extension = home.workspace.parent / "extension"
    extension.mkdir()
    assert "no manifest.json" in home.fails(1, "goto", "about:blank")
    make_extension(extension)
    home.must("goto", site("/"))
    assert home.must("attrs", "html").count('"lang": "marked"') == 1
    home.must("useragent", "Probe/1.0")
    home.must("restart")
    marked = "navigator.userAgent + ' ' + document.documentElement.lang"
    assert home.must("js", marked) == "Probe/1.0 marked"
    assert len(home.must("tabs").splitlines()) == 1
