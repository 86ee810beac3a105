from dataclasses import asdict

import orjson
import pytest

from gstack_browse.browser.downloads import Download
from gstack_browse.browser.state.context_state import ContextState, TabState
from gstack_browse.daemon.contexts.contexts import find_idlest
from gstack_browse.daemon.service import Service
from gstack_browse.errors import ActionFailed
from gstack_browse.settings import Settings
from gstack_browse.workspace.state import WritableStateDir


def state_of(name: str, number: int) -> ContextState:
    download = Download(1, "guid", f"https://{name}/a.csv", "a.csv", number, 1)
    storage, tabs = {"cookies": [{"name": name}], "origins": []}, [TabState(number, f"https://{name}/")]
    return ContextState(storage, tabs, number, 9, (1280, 720), 1.0, downloads=[asdict(download)])


CARRIED = state_of("default", 3)
CARRIED.contexts = {"ann": state_of("ann", 4), "bob": state_of("bob", 5)}


async def test_unopened_contexts_are_captured_unchanged_until_closed(state: WritableStateDir) -> None:
    service = Service(Settings(), state, CARRIED)
    assert await service.capture() == CARRIED
    assert [fact.name for fact in await service.contexts.list_facts()] == ["default", "ann", "bob"]
    assert service.browser.tab_numbers.following == 9
    assert await service.context_opener.close("ann") == ("1 tab", "")
    captured = await service.capture()
    assert captured
    assert list(captured.contexts) == ["bob"]
    for name in ("ann", "default"):
        with pytest.raises(ActionFailed):
            await service.context_opener.close(name)


async def test_a_successor_says_what_each_did_last_and_when(state: WritableStateDir) -> None:
    before = Service(Settings(), state, CARRIED).contexts
    ann = before.get_or_make("ann")
    ann.begin_command()
    ann.end_command("goto")
    ann.last_used -= 500
    captured = await before.capture()
    assert captured
    handed = ContextState.from_dict(orjson.loads(orjson.dumps(captured.as_dict())))
    after = Service(Settings(), state, handed).contexts
    told = {fact.name: (fact.last, fact.idle_seconds // 100) for fact in await after.list_facts()}
    assert told == {"default": ("", 0), "ann": ("goto", 5), "bob": ("", 0)}


async def test_downloads_are_listed_once_where_a_successor_did_not_start(state: WritableStateDir) -> None:
    service = Service(Settings(), state, CARRIED)
    assert find_idlest(service.contexts.others) is None, "none of them is open"
    service.resume(await service.capture())
    assert [len(list(context.downloads)) for context in service.contexts] == [1, 1, 1]


async def test_record_names_the_tabs_lost_in_unopened_contexts(state: WritableStateDir) -> None:
    service = Service(Settings(), state, CARRIED)
    service.record.write(None, service.contexts.others)
    after = Service(Settings(), state)
    expected = ["", "1 tab, last at https://ann/", "1 tab, last at https://bob/", ""]
    assert [after.record.describe_loss(name) for name in ("", "ann", "bob", "zoe")] == expected
    assert after.record.take_loss_notice("ann") == "browser state was lost (1 tab, last at https://ann/)"
    last = Service(Settings(), state)
    assert list(last.record.unreported) == ["bob"], "each is told, and told once"
