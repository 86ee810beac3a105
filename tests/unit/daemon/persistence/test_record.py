"""Test the daemon's record for the next one, on a disk without room for a second file."""

import errno

import orjson
import pytest

from gstack_browse.daemon.persistence.record import CrashRecord
from gstack_browse.workspace.directory import SESSION_FILE
from gstack_browse.workspace.state import WritableStateDir

LEFT = orjson.dumps({"tabs": 2, "last": "http://a/", "refs": [40, 3], "tab": 4})


class FullDisk(WritableStateDir):
    """A file replaces another one only after that has made room."""

    def write_file(self, name: str, content: bytes) -> None:
        if self.read_file(name, 1000) is not None:
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write_file(name, content)


@pytest.fixture
def place(state: WritableStateDir) -> FullDisk:
    state.write_file(SESSION_FILE, LEFT)
    return FullDisk(state.path, state.fd, state.workspace)


def test_loss_that_was_reported_or_carried_over_on_a_full_disk_is_not_reported_again(place: FullDisk) -> None:
    assert CrashRecord(place).take_loss_notice() == "browser state was lost (2 tabs, last at http://a/)"
    following = CrashRecord(place)
    assert (following.describe_loss(""), following.refs, following.tab) == ("", (40, 3), 4)
    WritableStateDir.write_file(place, SESSION_FILE, LEFT)
    CrashRecord(place).forget_all()
    assert (CrashRecord(place).describe_loss(""), CrashRecord(place).refs) == ("", (40, 3))
