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
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import secretstorage
from jeepney.io.blocking import open_dbus_connection

SECONDS = 30
_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None)
_FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
_KEYRING = ("dbus-daemon", "gnome-keyring-daemon")

needs_chromium = pytest.mark.skipif(not _CHROMIUM, reason="a whole Chromium is not installed (apt: chromium)")
needs_firefox = pytest.mark.skipif(not _FIREFOX, reason="Firefox is not installed (apt: firefox-esr)")
needs_keyring = pytest.mark.skipif(
    not all(map(shutil.which, _KEYRING)), reason="no keyring is installed (apt: gnome-keyring dbus)"
)


class Keyring:
    """A GNOME Keyring on a bus of its own, unlocked."""

    def __init__(self, address: str) -> None:
        self.address = address

    def lock(self) -> None:
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
    def keyring(self) -> Iterator[Keyring]:
        """The owner's programs have a session bus with an unlocked keyring."""
        bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert bus.stdout is not None
        address = self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        words = ["gnome-keyring-daemon", "--unlock", "--components=secrets", "--foreground"]
        keeper = subprocess.Popen(
            words,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        keeper.stdin.write(b"password of the keyring")
        keeper.stdin.close()
        keeper.stdout.readline()
        try:
            yield Keyring(address)
        finally:
            del self.environment["DBUS_SESSION_BUS_ADDRESS"]
            for process in (keeper, bus):
                process.terminate()
                process.wait()
                process.stdout.close() if process.stdout else None
