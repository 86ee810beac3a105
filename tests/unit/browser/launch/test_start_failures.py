from pathlib import Path

import pytest

from gstack_browse.browser.launch import launch
from gstack_browse.browser.launch.running import HEADLESS
from tests.each import each_row

WITHOUT_SANDBOX = "[err] No usable sandbox! If you are running on Ubuntu 23.10+ …"


APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"


@pytest.mark.parametrize(
    ("user", "shut", "remedy"),
    [
        (0, "", "Run gbrowse as a user of your own, not as root"),
        (1000, "", "Allow unprivileged user namespaces"),
        (1000, "user.max_user_namespaces=0", "sudo sysctl user.max_user_namespaces=15000"),
        (1000, "kernel.unprivileged_userns_clone=0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
        (1000, f"{APPARMOR}=1", f"sudo sysctl {APPARMOR}=0"),
    ],
)
def test_a_sandbox_that_does_not_work_names_what_forbids_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, shut: str, remedy: str
) -> None:
    monkeypatch.setattr(launch, "_KERNEL_SETTINGS", tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: user)
    if shut:
        name, _, value = shut.partition("=")
        path = tmp_path.joinpath(*name.split("."))
        path.parent.mkdir()
        path.write_text(f"{value}\n")
    failure = launch.explain_start_failure(WITHOUT_SANDBOX, Path("/chromium"), True, HEADLESS)
    assert failure.message == "Chromium cannot use its sandbox on this machine"
    assert remedy in failure.hint


@each_row(
    (
        "[ERROR:platform_thread_posix.cc] pthread_create: Resource temporarily unavailable (11)",
        "No more processes",
        "--pids-limit",
    ),
    (
        "it was killed by signal 9",
        "/chromium did not start: it was killed by signal 9",
        "where memory is short",
    ),
)
def test_shortage_of_processes_or_memory_is_named(said: str, message: str, hint: str) -> None:
    failure = launch.explain_start_failure(said, Path("/chromium"), False, HEADLESS)
    assert failure.message.startswith(message)
    assert hint in failure.hint
