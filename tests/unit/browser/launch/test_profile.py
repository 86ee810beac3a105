"""Test who has a lasting profile open."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gstack_browse.browser.launch.profile import CHROMIUMS_LOCK, lock_profile

pytestmark = pytest.mark.programs


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_profile_of_a_chromium_that_has_ended_and_is_not_reaped_is_free(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir(mode=0o700)
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    (profile / CHROMIUMS_LOCK).symlink_to(f"{socket.gethostname()}-{ended.pid}")
    lock_profile(profile).release()
    ended.wait()
