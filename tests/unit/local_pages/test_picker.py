from collections import Counter

from gstack_browse.browser.reading.cookie_import import ImportResult
from gstack_browse.cookies.records import Skip
from gstack_browse.cookies.stores.profiles import NoKey
from gstack_browse.local_pages.picker.server import _describe_outcome


def test_import_is_described_with_counts() -> None:
    outcome = ImportResult(
        Counter({"a.test": 1200, "b.test": 34}), Counter({Skip.EXPIRED: 2}), NoKey("the keyring is locked")
    )
    assert _describe_outcome(outcome) == "Imported 1,234 cookies; skipped 2 expired; the keyring is locked"
