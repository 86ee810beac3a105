from collections import Counter
from types import SimpleNamespace
from typing import Any

from gstack_browse.browser.downloads import Downloads, DownloadsSince
from gstack_browse.browser.tab.effects import Effects
from gstack_browse.settings import DownloadLimits


def test_all_reasons_of_refused_downloads_are_taken_but_earlier_ones() -> None:
    effects = Effects()
    folder: Any = None
    tab: Any = SimpleNamespace(id=1, effects=effects)
    effects.refused_downloads.update(["earlier", "full"])
    since = DownloadsSince(Downloads(folder, DownloadLimits()), tab)
    assert not since.has_outcome()
    effects.refused_downloads.update(["full", "full", "one for each action"])
    assert since.has_outcome()
    assert since.take_refused() == "full; one for each action"
    assert effects.refused_downloads == Counter(["earlier", "full"])
