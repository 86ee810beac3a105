import asyncio
import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gstack_browse import settings
from gstack_browse.browser.dialogs import DialogPolicy
from gstack_browse.browser.state.context_state import ContextState, TabState
from gstack_browse.browser.state.emulation import Emulation
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.contexts.contexts import Contexts
from gstack_browse.daemon.persistence.state_autosaver import StateAutosaver, filter_allowed, restored_notice
from gstack_browse.daemon.persistence.state_store import StateStore, StateUnusable, StoredState, is_empty
from gstack_browse.network.shaping.rules import RouteAction, RouteAnswer, RouteTable
from gstack_browse.registry.surroundings import Place
from gstack_browse.settings import DownloadLimits
from gstack_browse.text.pattern import RequestGlob
from gstack_browse.workspace.state import WritableStateDir, open_state_dir
from tests.unit.hostile import damaged, json_values, tried

RULES = RouteTable()
RULES.add(RequestGlob("**/api"), RouteAction(RouteAnswer(file="/w/a.json", headers=[("X-A", "b")]), delay_ms=5))
STATE = ContextState(
    {"cookies": [{"name": "sid", "value": "s3cret"}], "origins": [{"origin": "https://a.example", "localStorage": []}]},
    [TabState(3, "https://a.example/x", "https://a.example", {"k": "v"}, (7, 2))], 3, 4, (1280, 720), 1.0,
    dialogs=tuple(None for _ in fields(DialogPolicy)),
    revealed=["correct horse"],
    extras={"headers": [["X-A", "b", ""]], "credentials": []},
    shaping=orjson.loads(orjson.dumps({"rules": RULES.to_state()})),
    mobile=True,
    emulation=Emulation(geo=Place(52.5, 13.4), grant=("camera",), locale="de").as_dict(),
)  # fmt: skip
PLAIN = b"gbrowse state 1\nplain\n"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))


def test_written_state_is_read_by_the_next_store(state: WritableStateDir) -> None:
    file = StateStore(state)
    assert file.read() is None
    file.write(replace(STATE, contexts={"ann": STATE}))
    path = Path(file.path)
    assert b"correct horse" not in path.read_bytes(), "a secret that was revealed"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert not file.is_encrypted
    kept = StateStore(state).read()
    assert kept
    assert kept.state == replace(STATE, revealed=[], contexts={"ann": replace(STATE, revealed=[])})
    assert restored_notice(kept.state, kept.at).startswith("Restored 1 tab and 1 cookie of ")
    file.delete()
    assert not path.exists()


def test_two_never_write_at_once(state: WritableStateDir) -> None:
    first, second = StateStore(state), StateStore(state)
    first.write(STATE)
    with pytest.raises(StateUnusable, match="another daemon"):
        second.write(STATE)
    first.release()
    second.write(STATE)


def test_a_link_is_not_followed(state: WritableStateDir, tmp_path: Path) -> None:
    file = StateStore(state)
    file.write(STATE)
    os.unlink(file.path)
    (tmp_path / "elsewhere").write_text("mine")
    os.symlink(tmp_path / "elsewhere", file.path)
    for act in (file.read, lambda: file.write(STATE)):
        with pytest.raises(StateUnusable):
            act()
    assert (tmp_path / "elsewhere").read_text() == "mine"


def test_state_file_that_cannot_be_read_is_not_overwritten(state: WritableStateDir) -> None:
    file = StateStore(state)
    assert StateAutosaver(file).describe().endswith("not written yet")
    file.write(STATE)
    Path(file.path).write_bytes(b"gbrowse state 1\naes-256-gcm\n" + b"x" * 50)
    keeper = StateAutosaver(StateStore(state))
    assert keeper.read() is None
    assert "the keyring that has its key cannot be reached" in keeper.describe()
    default = AgentContext("", state, DownloadLimits(), str)
    contexts = Contexts(default, lambda name: default)
    asyncio.run(keeper.save_finally(contexts))
    keeper.mark_changed()
    keeper.tick(contexts, is_busy=False)
    assert Path(file.path).read_bytes().endswith(b"x" * 50)


def test_refs_go_on_and_what_the_rules_forbid_is_left_out() -> None:
    nothing: dict[str, Any] = {"cookies": [], "origins": []}
    assert is_empty(replace(STATE, storage=nothing, tabs=[TabState(1, "about:blank")]))
    assert not is_empty(replace(STATE, storage=nothing))
    assert not is_empty(replace(STATE, tabs=[]))
    kept = StoredState(STATE, 0.0)
    restored = filter_allowed(kept, settings.Settings(), (5, 9))
    assert (restored.tabs[0].following, restored.first_refs) == ((7, 9), (5, 9))
    ruled = filter_allowed(kept, settings.read({"BROWSE_ALLOW": "b.example"}), (1, 1))
    assert (ruled.tabs, ruled.storage["origins"], len(ruled.storage["cookies"])) == ([], [], 1)


_fields = st.dictionaries(st.sampled_from(list(STATE.as_dict())), json_values)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> StateStore:
    """Return one file for all examples."""
    place = tmp_path_factory.mktemp("kept")
    environment = {"GSTACK_HOME": str(place / "own"), "HOME": str(place)}
    made = StateStore(open_state_dir(str(place)), environment)
    made.write(STATE)
    return made


@tried
@given(
    content=st.one_of(
        damaged(PLAIN + orjson.dumps({"at": 1.0, "state": replace(STATE, contexts={"ann": STATE}).as_dict()})),
        _fields.map(lambda found: PLAIN + orjson.dumps({"at": 1, "state": STATE.as_dict() | found})),
        st.binary(max_size=100).map(lambda rest: b"gbrowse state 1\naes-256-gcm\n" + rest),
        st.binary(max_size=100),
    )
)
def test_anything_at_all_is_a_state_or_refused(file: StateStore, content: bytes) -> None:
    Path(file.path).write_bytes(content)
    try:
        kept = file.read()
    except StateUnusable:
        return
    assert kept
    filter_allowed(kept, settings.Settings(), (1, 1))
    restored_notice(kept.state, kept.at)
