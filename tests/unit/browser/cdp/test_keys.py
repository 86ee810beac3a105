from gstack_browse.browser.cdp.keys import split_for_typing
from tests.each import each


def test_the_last_character_is_a_key_and_empty_text_presses_delete() -> None:
    beginning, (down, up) = split_for_typing("Ada")
    assert beginning == "Ad"
    assert down == {
        "type": "keyDown", "key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65, "text": "a", "unmodifiedText": "a"
    }  # fmt: skip
    assert up == {"type": "keyUp", "key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65}
    beginning, press = split_for_typing("")
    assert beginning == ""
    assert [event["key"] for event in press] == ["Delete", "Delete"]


@each(["line\n", "tab\t", "🙂", "e\u0301", "👩\u200d💻", "\ud83d"])
def test_character_without_a_key_is_inserted_with_the_text_before_it(text: str) -> None:
    beginning, press = split_for_typing(text)
    assert beginning == text
    assert [event["type"] for event in press] == ["rawKeyDown", "keyUp"]
    assert all("text" not in event and event["key"] == "Process" for event in press)
