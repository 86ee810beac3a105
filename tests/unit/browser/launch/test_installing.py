"""Libraries that a program lacks: they are found, named with their packages, and installed."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gstack_browse.browser.launch import chromium
from gstack_browse.errors import SetupFailed
from tests.each import each_row

NO_NETWORK = """\
Downloading Chrome Headless Shell 159.0.8154.6 from https://cdn.example.test/chrome-headless-shell-linux64.zip
Error: getaddrinfo ENOTFOUND cdn.example.test
    at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:internal/dns/promises:101:17) {
  errno: -3008,
  code: 'ENOTFOUND',
  syscall: 'getaddrinfo',
  hostname: 'cdn.example.test'
}
Failed to install browsers
Error: Failed to download Chrome Headless Shell 159.0.8154.6, caused by
Error: Download failure, code=1
    at ChildProcess.<anonymous> (/site-packages/playwright/driver/package/lib/coreBundle.js:34127:32)
    at ChildProcess._handle.onexit (node:internal/child_process:323:12)
"""


@each_row(
    (NO_NETWORK, "getaddrinfo ENOTFOUND cdn.example.test"),
    ("Reading package lists...\nE: Unable to locate package chromium\n", "E: Unable to locate package chromium"),
    ("node:internal/errors:540\n      throw error;\n      ^\n\nError: EACCES: permission denied\n    at main (x.js:1)\n",
     "EACCES: permission denied"),
    ("  \n", ""),
)  # fmt: skip
def test_reason_of_a_failed_installation_is_its_first_error(said: str, reason: str) -> None:
    assert chromium.failure_reason(said.splitlines()) == reason


@each_row(
    ("libatomic.so.1", "libatomic1"),
    ("libX11.so.6", "libx11-6"),
    ("libglib-2.0.so.0", "libglib2.0-0"),
    ("libpango-1.0.so.0", "libpango-1.0-0"),
    ("libnss3.so", "libnss3"),
    ("libasound.so.2", "libasound2t64"),
    ("libpng16.so.16", "libpng16-16t64"),
)
def test_package_of_a_library_is_among_the_candidates(library: str, package: str) -> None:
    assert package in chromium.candidate_packages(library)


@pytest.mark.programs
def test_the_loader_names_what_a_program_lacks(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(Path("/bin/ls").read_bytes().replace(b"libc.so.6", b"libq.so.6"))
    program.chmod(0o755)
    assert "libq.so.6" in chromium.missing_libraries(program)
    assert chromium.missing_libraries(Path("/bin/ls")) == []


class Lacking:
    """A program, started by a script, that lacks libraries until their packages are installed."""

    def __init__(self, place: Path, lacks: Sequence[str]) -> None:
        self.place = place
        self.program = place / "program"
        self.commands: list[Sequence[str]] = []
        said = f"x: {chromium.LOADER_MESSAGE}: {{}}: cannot open shared object file"
        lines = [f"[ -e {place}/{name} ] || {{ echo '{said.format(name)}' >&2; exit 127; }}" for name in lacks]
        self.program.write_text("\n".join(["#!/bin/sh", *lines]))
        self.program.chmod(0o755)

    def run(self, command: Sequence[str], progress: chromium.Progress) -> str:
        """Stand in for apt, which has packages of two libraries, and for a command that brings the third."""
        self.commands.append(command)
        for name, package in (("liba.so.1", "liba1"), ("libb.so.2", "libb2"), ("libc3.so", "others")):
            if package in command:
                (self.place / name).touch()
        return ""

    def packages(self, missing: Sequence[str]) -> dict[str, str]:
        known = {"liba.so.1": "liba1", "libb.so.2": "libb2"}
        return {library: known.get(library, "") for library in missing}


@pytest.fixture
def lacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lacking:
    made = Lacking(tmp_path, ["liba.so.1", "libb.so.2", "libc3.so"])
    monkeypatch.setattr(chromium, "run_installer", made.run)
    monkeypatch.setattr(chromium, "has_apt", lambda: True)
    monkeypatch.setattr(chromium, "find_packages", made.packages)
    return made


@pytest.mark.programs
def test_root_gets_all_missing_libraries_installed(lacking: Lacking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "as_root", list)
    said: list[str] = []
    chromium.install_libraries_of("Chromium", lacking.program, said.append, ("others",))
    assert chromium.missing_libraries(lacking.program) == []
    assert [command[-1] for command in lacking.commands] == ["liba1", "libb2", "update", "others"]
    by_apt = [command for command in lacking.commands if command[0] == "apt-get"]
    assert by_apt
    # installing waits for the lock of dpkg
    assert {tuple(command[:3]) for command in by_apt} == {chromium.APT_GET}
    assert said[0] == "Chromium lacks liba.so.1: installing"


def test_lists_of_packages_are_fetched_after_another_program_has_fetched_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    locked = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"
    answers = [locked, locked, ""]
    monkeypatch.setattr(chromium, "run_installer", lambda command, progress: answers.pop(0))
    monkeypatch.setattr(chromium, "_RETRY_SECONDS", 0)
    chromium.update_package_lists(["apt-get"], chromium.ignore_line)
    assert answers == []


def test_the_command_for_libraries_without_a_package_of_their_name(lacking: Lacking) -> None:
    told = chromium.missing_libraries_error("Chromium", ["liba.so.1", "libc3.so"], ("a command", "others"))
    assert told.message == "Chromium lacks libraries of the system: liba.so.1, libc3.so"
    assert told.hint == "Install it: sudo 'a command' others"
    assert (
        chromium.missing_libraries_error("Node", ["libc3.so"]).hint == "Install it: sudo apt-get install libc3"
    )


@pytest.mark.programs
def test_a_library_that_cannot_be_installed_is_told_with_the_reason(
    lacking: Lacking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "as_root", list)
    monkeypatch.setattr(chromium, "run_installer", lambda command, progress: "E: no network")
    with pytest.raises(SetupFailed, match=r"liba.so.1 \(E: no network\)"):
        chromium.install_libraries_of("Chromium", lacking.program, chromium.ignore_line)
