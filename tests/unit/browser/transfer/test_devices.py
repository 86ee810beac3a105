from gstack_browse.browser.transfer import emulating


def test_all_are_listed_with_what_sets_them_apart() -> None:
    lines = emulating.list_devices().splitlines()
    for line in (
        "iPhone 15 (393x659, touch, scale 3)",
        "Pixel 7 (412x839, touch, scale 2.625)",
        "Desktop Chrome (1280x720)",
    ):
        assert lines.count(line) == 1
    assert str(emulating.Device()) == "none (1280x720)"
