"""Makes a new Debian in a directory, and runs programs in it. They share this machine's network.

The base of each release is kept in `.venv/machines`; what a machine changes lies in an overlay of its own. Machines get the
configuration of this one for reaching package registries: names, certificates, proxies, what apt and pip are told.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
BASES = ROOT / ".venv/machines"
PROGRAMS = "python3,git,ca-certificates"
"""The last one only for networks whose registries have certificates of their own."""
USER = "ann"
USER_ID = 1500
"""Leaves 1000 to the user of a container's file."""

_CONFIGURATION = (
    "etc/hosts", "etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt", "etc/apt/apt.conf",
    "etc/apt/apt.conf.d", "etc/apt/auth.conf.d", "etc/pip.conf", "etc/xdg/pip",
)  # fmt: skip
_VARIABLES = ("PIP_", "SSL_CERT_", "REQUESTS_CA_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_ENTER = """
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
cd "$2/root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount --rbind /dev dev
mount -t tmpfs tmpfs tmp
mkdir tmp/before
pivot_root . tmp/before
umount -l /tmp/before
rmdir /tmp/before
cd /
shift 2
exec "$@"
"""
"""A chroot would not do: nobody in one may make a user namespace, and so a sandbox."""


def why_not() -> str:
    """Return why no machine can be made here; "" if one can."""
    if os.name != "posix" or not Path("/proc/self/ns").exists():
        return "needs Linux"
    if os.geteuid() != 0:
        return "needs root: debootstrap makes devices and users"
    missing = [
        name
        for name in ("debootstrap", "unshare", "pivot_root", "runuser")
        if not shutil.which(name, path=_PATH)
    ]
    return f"not installed: {', '.join(missing)}" if missing else ""


_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def base(release: str) -> Path:
    """Return the directory of a new Debian, which is made once. Raises CalledProcessError."""
    place = BASES / release
    if not place.exists():
        making = BASES / f"{release}.{os.getpid()}"
        words = ["debootstrap", "--variant=minbase", f"--include={PROGRAMS}", release, str(making)]
        try:
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PATH": _PATH})
            making.rename(place)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return place


class Machine:
    """A Debian with root and an ordinary user, `ann`. Both have a clone of this repository in `~/gbrowse`."""

    def __init__(self, lower: Path, place: Path) -> None:
        self._lower = lower
        self._place = place
        for name in ("upper", "work", "root"):
            (place / name).mkdir(parents=True)
        upper = place / "upper"
        for name in _CONFIGURATION:
            _copy(Path("/", name), upper / name)
        _copy(Path.home() / ".config/pip/pip.conf", upper / "root/.config/pip/pip.conf")
        (upper / "root").mkdir(mode=0o700, exist_ok=True)
        _write(upper / "etc/dpkg/dpkg.cfg.d/gbrowse", "force-unsafe-io\n")  # need not survive a power cut
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, upper / "root/gbrowse"], check=True)
        self.must(
            f"useradd --create-home --uid {USER_ID} {USER} && cp -r /root/gbrowse /home/{USER}/ && chown -R {USER}: /home/{USER}"
        )

    @property
    def changes(self) -> Path:
        """The directory of what differs from the base; files may be put there while nothing runs."""
        return self._place / "upper"

    def run(
        self, command: str, *, user: str = "root", timeout: float = 900
    ) -> "subprocess.CompletedProcess[str]":
        """Run a shell command in the user's home directory, with an environment of its own."""
        kept = {name: value for name, value in os.environ.items() if name.upper().startswith(_VARIABLES)}
        home = "/root" if user == "root" else f"/home/{user}"
        environment = {**kept, "HOME": home, "PATH": _PATH, "TERM": "dumb", "USER": user}
        whole = f"cd {home}; {command}"
        words: Sequence[str] = (
            ["sh", "-c", whole] if user == "root" else ["runuser", "-u", user, "--", "sh", "-c", whole]
        )
        enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", _ENTER, "sh"]
        return subprocess.run(
            [*enter, str(self._lower), str(self._place), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            timeout=timeout,
            check=False,
        )

    def must(self, command: str, *, user: str = "root", timeout: float = 900) -> str:
        """Run a command, assert that it succeeds, and return what it prints."""
        done = self.run(command, user=user, timeout=timeout)
        assert done.returncode == 0, (
            f"{command}: {done.returncode}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}"
        )
        return done.stdout


@contextmanager
def machine(release: str, place: Path, programs: Sequence[str] = ()) -> Iterator[Machine]:
    """Make a machine with these packages. It is removed at the end: it takes up to 2 GB."""
    try:
        made = Machine(base(release), place)
        if programs:
            made.must(f"apt-get update && apt-get install -y {' '.join(programs)}")
        yield made
    finally:
        shutil.rmtree(place)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a directory, if there is one."""
    if source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
