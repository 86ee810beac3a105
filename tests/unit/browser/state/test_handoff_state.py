from gstack_browse.browser.state.context_state import ContextState, HandoffState, TabState


def handed() -> HandoffState:
    tabs = [TabState(1, "http://a/"), TabState(2, "http://b/", "http://b", {"k": "v"})]
    return HandoffState("", ContextState({"cookies": [], "origins": []}, tabs, 2, 3, (1280, 720), 1.0))


def test_tabs_and_storage_of_a_window_are_those_seen_last() -> None:
    window = handed()
    window.note_closed(TabState(2, "http://b/later", following=(7, 2)))
    window.note_closed(TabState(1, "http://a/"))
    expected = [TabState(1, "http://a/"), TabState(2, "http://b/later", "http://b", {"k": "v"}, (7, 2))]
    assert window.last_tabs() == expected
    window = handed()
    for _ in range(2):
        window.note_closed(TabState(1, "http://a/"))
    assert len(window.last_state().tabs) == 1
    window = handed()
    window.update([TabState(5, "http://c/")], {"http://c": [{"name": "x", "value": "y"}]}, active=5, next_id=6)
    window.set_cookies([{"name": "n", "value": "v"}])
    left = window.last_state()
    assert (left.tabs, left.active, left.next_id) == ([TabState(5, "http://c/")], 5, 6)
    assert left.storage == {
        "cookies": [{"name": "n", "value": "v"}],
        "origins": [{"origin": "http://c", "localStorage": [{"name": "x", "value": "y"}]}],
    }
