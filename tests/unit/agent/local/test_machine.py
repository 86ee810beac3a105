"""Each line of `doctor` about the machine, well and broken, on directories that look like one."""

import resource
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from gstack_browse.agent.local.checks import machine
from gstack_browse.agent.local.checks.machine import MEGABYTE, ExaminedMachine
from gstack_browse.agent.local.reports import Finding
from tests.tls import Authority

Check = Callable[[ExaminedMachine], Iterator[Finding]]
FREE = resource.RLIM_INFINITY


def at(
    root: Path, free: int = 10_000, user: int = 1000, files: int = 4096, addresses: int = FREE, **variables: str
) -> ExaminedMachine:
    """A machine with so many megabytes free everywhere, for a person who is not root."""
    limits = {resource.RLIMIT_NOFILE: (files, files), resource.RLIMIT_AS: (addresses, addresses)}
    return ExaminedMachine(variables, root, root, lambda _: free * MEGABYTE, limits.__getitem__, user)


def write_file(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def line(check: Check, there: ExaminedMachine) -> str:
    """The first thing found, as `state name: text → next`."""
    found = next(iter(check(there)))
    return f"{found.state} {found.name}: {found.text}" + (f" → {found.next}" if found.next else "")


def assert_begins(check: Check, there: ExaminedMachine, begin: str) -> None:
    assert line(check, there).startswith(begin)


def test_a_sandbox_that_is_there_or_taken_away(tmp_path: Path) -> None:
    assert not list(machine.check_sandbox(at(tmp_path))), "whether it works is said by who starts a browser"
    assert_begins(machine.check_sandbox, at(tmp_path, user=0), "- sandbox: off: you are root")
    assert_begins(machine.check_sandbox, at(tmp_path, BROWSE_SANDBOX="0"), "problem sandbox: BROWSE_SANDBOX=0")
    assert_begins(
        machine.check_sandbox, at(tmp_path, container="podman"), "- sandbox: off: this is a container"
    )
    write_file(tmp_path, ".dockerenv")
    assert_begins(machine.check_sandbox, at(tmp_path), "- sandbox: off: this is a container")


def test_little_shared_memory(tmp_path: Path) -> None:
    assert line(machine.check_shared_memory, at(tmp_path)).startswith("- shared memory: there is no /dev/shm")
    (tmp_path / "dev/shm").mkdir(parents=True)
    assert line(machine.check_shared_memory, at(tmp_path)) == "ok shared memory: 10000 MB free in /dev/shm"
    assert line(machine.check_shared_memory, at(tmp_path, free=64)).endswith("→ docker run --shm-size=1g …")


def test_fonts_are_counted_and_missing_ones_named(tmp_path: Path) -> None:
    assert line(machine.check_fonts, at(tmp_path)).startswith("problem fonts: there are none")
    write_file(tmp_path, "usr/share/fonts/truetype/DejaVu.TTF")
    expected = "- fonts: 1, none for emoji → apt-get install fonts-noto-color-emoji"
    assert line(machine.check_fonts, at(tmp_path)) == expected
    write_file(tmp_path, "mine/.fonts/NotoColorEmoji.ttf")
    assert line(machine.check_fonts, at(tmp_path, HOME=str(tmp_path / "mine"))) == "ok fonts: 2"


def test_a_display_where_nobody_listens(tmp_path: Path) -> None:
    assert "→ gbrowse watch --control" in line(machine.check_display, at(tmp_path))
    assert_begins(
        machine.check_display, at(tmp_path, DISPLAY=":7.0"), "problem display: DISPLAY=:7.0, where nobody"
    )
    write_file(tmp_path, "tmp/.X11-unix/X7")
    assert line(machine.check_display, at(tmp_path, DISPLAY=":7.0")) == "ok display: :7.0"
    assert line(machine.check_display, at(tmp_path, DISPLAY="far:10")) == "ok display: far:10"
    wayland = at(tmp_path, WAYLAND_DISPLAY="wayland-0", XDG_RUNTIME_DIR=str(tmp_path))
    assert line(machine.check_display, wayland).endswith("→ unset WAYLAND_DISPLAY")


def test_a_keyring_that_is_locked_or_not_there(tmp_path: Path) -> None:
    def doctor_line(said: str) -> str:
        return line(machine.check_keyring, at(tmp_path)._replace(keyring=lambda: said))

    assert doctor_line("answers\n") == "ok keyring: answers"
    assert doctor_line("none\n").startswith("- keyring: none: secrets are kept in a file")
    expected = "problem keyring: The keyring is locked → Unlock it"
    assert doctor_line("locked\tThe keyring is locked\tUnlock it\n") == expected


def test_a_proxy_that_cannot_be_reached(tmp_path: Path) -> None:
    assert line(machine.check_proxy, at(tmp_path)) == "- proxy: none is set"
    direct = at(tmp_path, BROWSE_PROXY="direct", https_proxy="http://")
    assert line(machine.check_proxy, direct) == "- proxy: none: BROWSE_PROXY=direct"
    for address in ("http://", "http://h:99999"):
        assert_begins(
            machine.check_proxy, at(tmp_path, https_proxy=address), "problem proxy: https_proxy is no address"
        )
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        word = f"http://ann:secret@127.0.0.1:{port}"
        assert (
            line(machine.check_proxy, at(tmp_path, HTTP_PROXY=word))
            == f"ok proxy: HTTP_PROXY, 127.0.0.1:{port}"
        )
    found = line(machine.check_proxy, at(tmp_path, BROWSE_PROXY=word))
    assert found.startswith(f"problem proxy: BROWSE_PROXY, 127.0.0.1:{port} cannot be reached")
    assert "secret" not in found


def test_client_certificates_that_do_not_hold(tmp_path: Path) -> None:
    corp = Authority(tmp_path)
    certificate, key = corp.client("ann")

    def doctor_line(word: str) -> str:
        return line(machine.check_client_certs, at(tmp_path, BROWSE_CLIENT_CERT=f"https://a.corp={word}"))

    found = doctor_line(f"{certificate}+{key}")
    assert found.startswith(f"ok client certificate: {certificate} for https://a.corp, ")
    assert "days left" in found
    old, old_key = corp.client("bob", days=-1)
    assert f"{old} for https://a.corp expired on 20" in doctor_line(f"{old}+{old_key}")
    assert doctor_line(str(corp.client_p12("eve", "open"))).startswith("- client certificate: ")
    problem = "problem client certificate: BROWSE_CLIENT_CERT:"
    missing = f"{problem} /none.pem cannot be read: No such file or directory → Mend that"
    assert doctor_line("/none.pem") == missing
    assert doctor_line("ann.pem").startswith(f"{problem} the path of a certificate")
    assert list(machine.check_client_certs(at(tmp_path))) == []


def test_a_disk_without_room(tmp_path: Path) -> None:
    assert line(machine.check_disk, at(tmp_path)) == "ok disk: 10,000 MB free in the workspace"
    expected = f"problem disk: 3 MB free in the workspace → Make room in {tmp_path}"
    assert line(machine.check_disk, at(tmp_path, free=3)) == expected
    there = ExaminedMachine({"TMPDIR": str(tmp_path / "none")}, tmp_path, tmp_path)
    assert [found.next for found in machine.check_disk(there)][1] == "export TMPDIR=/tmp"


def test_limits_and_memory(tmp_path: Path) -> None:
    write_file(tmp_path, "proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    2000000 kB")
    assert line(machine.check_limits, at(tmp_path)) == "ok limits: 4,096 open files, 2,048 MB of memory free"
    assert line(machine.check_limits, at(tmp_path, files=64)).startswith("problem limits: 64 open files")
    few = at(tmp_path, addresses=512 * MEGABYTE)
    assert_begins(machine.check_limits, few, "problem limits: 512 MB of address space")
    write_file(tmp_path, "sys/fs/cgroup/memory.max", "600000000")
    write_file(tmp_path, "sys/fs/cgroup/memory.current", "500000000")
    write_file(tmp_path, "sys/fs/cgroup/memory.stat", "anon 1\nfile 100000000")
    assert line(machine.check_limits, at(tmp_path)).startswith("problem limits: 200 MB of memory are free")
    write_file(tmp_path, "sys/fs/cgroup/memory.max", "max")
    assert line(machine.check_limits, at(tmp_path)).startswith("ok limits")
