"""Calls of `select` that are to fail, without the time that lists of slow pages get."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gstack_browse.browser.actions.lists import choosing, plain_lists, widget_list, widgets
from gstack_browse.browser.actions.lists.widget_list import WidgetList

DEADLINES = {
    choosing: ("OPTION_SECONDS",),
    plain_lists: ("OPENING_SECONDS", "TAKING_SECONDS", "LEAVING_SECONDS"),
    widget_list: ("FIRST_SECONDS", "NEXT_SECONDS", "OPTION_SECONDS", "LOADING_SECONDS"),
    widgets: ("TAKING_SECONDS",),
}


@contextmanager
def hurried() -> Iterator[None]:
    """Wait briefly for what does not come. It is looked at as often as ever at least."""
    with pytest.MonkeyPatch.context() as patch:
        for module, names in DEADLINES.items():
            for name in names:
                patch.setattr(module, name, 0.1)
        patch.setattr(widget_list, "_OPENING_KEYS", dict.fromkeys(widget_list._OPENING_KEYS, 0.1))
        patch.setattr(WidgetList._shows_options, "__defaults__", (0.1,))
        yield
