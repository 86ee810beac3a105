"""The person whose cookies are imported: a home of their own, real browsers in it, a real keyring.

owner = Owner(tmp_path)
owner.visit("http://127.0.0.1:8000/login")            with Chromium, which keeps the cookies it is sent
with owner.keyring() as keyring:
    owner.visit(url, store="gnome-libsecret")         the same, encrypted with a key from the keyring
    keyring.lock()
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 60
_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None)
_FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
_KEYRING = ("dbus-daemon", "gnome-keyring-daemon")

needs_chromium = pytest.mark.skipif(not _CHROMIUM, reason="a whole Chromium is not installed (apt: chromium)")
needs_keyring = pytest.mark.skipif(
    not all(map(shutil.which, _KEYRING)), reason="no keyring is installed (apt: gnome-keyring dbus)"
)


Test = TypeVar("Test", bound=Callable[..., object])


def needs_firefox(test: Test) -> Test:
    """Mark a test that needs the real Firefox as slow.

    Installing Firefox takes as long as all other programs together.
    """
    is_missing = pytest.mark.skipif(not _FIREFOX, reason="Firefox is not installed (apt: firefox-esr)")
    return pytest.mark.slow(is_missing(test))


class Keyring:
    """A GNOME Keyring on a bus of its own, unlocked."""

    def __init__(self, address: str) -> None:
        self.address = address

    def lock(self) -> None:
        import secretstorage  # there is none on a Mac
        from jeepney.io.blocking import open_dbus_connection

        with closing(open_dbus_connection(self.address)) as bus:
            secretstorage.get_default_collection(bus).lock()


class Owner:
    """`home` is the home directory; `environment` is what their programs are started with."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "LANG": "C.UTF-8",
        }
        (home / "run").mkdir(mode=0o700, parents=True)

    def chromium(self, url: str, *flags: str, profile: str = "Default", store: str = "basic") -> list[str]:
        """The words that start Chromium on a page."""
        assert _CHROMIUM
        return [
            _CHROMIUM, "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu",
            f"--user-data-dir={self.home / '.config/chromium'}", f"--profile-directory={profile}",
            f"--password-store={store}", *flags, url,
        ]  # fmt: skip

    def visit(self, url: str, *, profile: str = "Default", store: str = "basic") -> None:
        """Look at a page with Chromium and leave: it writes its cookies on its way out."""
        words = self.chromium(url, "--virtual-time-budget=2000", "--dump-dom", profile=profile, store=store)
        subprocess.run(words, env=self.environment, capture_output=True, timeout=SECONDS, check=True)

    @contextmanager
    def browsing(self, url: str) -> Iterator[None]:
        """Chromium stays open, with its profile in use."""
        words = self.chromium(url, "--remote-debugging-port=0")
        with subprocess.Popen(
            words, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as browser:
            assert browser.stderr is not None
            try:
                next(line for line in browser.stderr if b"DevTools listening" in line)
                yield
            finally:
                browser.terminate()

    def visit_with_firefox(self, url: str) -> None:
        """Look at a page with Firefox, which keeps its newest cookies in a write-ahead log."""
        assert _FIREFOX
        words = [_FIREFOX, "--headless", "--no-remote", "--screenshot", str(self.home / "seen.png"), url]
        subprocess.run(words, env=self.environment, capture_output=True, timeout=SECONDS, check=True)

    @contextmanager
    def bus(self) -> Iterator[str]:
        """The owner's programs have a session bus. Its address."""
        words = ["dbus-daemon", "--session", "--nofork", "--print-address"]
        with self._running(words) as bus:
            assert bus.stdout is not None
            address = self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().decode().strip()
            try:
                yield address
            finally:
                del self.environment["DBUS_SESSION_BUS_ADDRESS"]

    @contextmanager
    def keyring(self) -> Iterator[Keyring]:
        """The owner's programs have a session bus with an unlocked keyring."""
        words = ["gnome-keyring-daemon", "--unlock", "--components=secrets", "--foreground"]
        with self.bus() as address, self._running(words) as keeper:
            assert keeper.stdin is not None
            assert keeper.stdout is not None
            keeper.stdin.write(b"password of the keyring")
            keeper.stdin.close()
            keeper.stdout.readline()
            yield Keyring(address)

    @contextmanager
    def _running(self, words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
        """A program that runs until the block ends; it says something when it is ready."""
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        with subprocess.Popen(words, env=self.environment, stdin=pipe, stdout=pipe, stderr=null) as process:
            try:
                yield process
            finally:
                process.terminate()

    @contextmanager
    def wallet(self, *, is_open: bool, password: str) -> Iterator[str]:
        """Stand in for KDE's wallet with Chromium's password, on a bus of the owner's.

        Yields the bus's address.
        """
        script = Path(__file__).with_name("stand_in_wallet.py")
        words = [sys.executable, str(script), "open" if is_open else "closed", password]
        with self.bus() as address, self._running(words) as wallet:
            assert wallet.stdout is not None
            assert wallet.stdout.readline() == b"ready\n"
            yield address

    def give_desktop(self) -> Path:
        """Give them a desktop, which opens an address by adding it to a file. Returns the file."""
        opener, opened = self.home / "bin/xdg-open", self.home / "opened"
        opener.parent.mkdir()
        opener.write_text(f'#!/bin/sh\necho "$@" >> {opened}\n')
        opener.chmod(0o700)
        self.environment |= {"DISPLAY": ":77", "PATH": f"{opener.parent}:{self.environment['PATH']}"}
        return opened

    def opened_addresses(self) -> list[str]:
        """Return the addresses that the desktop has opened so far: it does so in its own time."""
        opened = self.home / "opened"
        return opened.read_text().splitlines() if opened.exists() else []

    def start(self, workspace: Path, *words: str) -> subprocess.Popen[str]:
        """Begin a command as the owner, with a real client and daemon."""
        command = [sys.executable, "-m", "gstack_browse.client", *words]
        pipe, environment = subprocess.PIPE, self.environment | {"PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            command,
            cwd=workspace,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )

    def gbrowse(self, workspace: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command as the owner."""
        with self.start(workspace, *words) as process:
            out, error = process.communicate(timeout=SECONDS)
        return subprocess.CompletedProcess(words, process.returncode, out, error)
