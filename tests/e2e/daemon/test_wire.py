"""The socket's contract (docs/protocol.md): by hand, in JSON, at its limits, and with rude clients."""

import json
import os
import re
import select
import shutil
import socket
import stat
from collections.abc import Iterator

import pytest

from tests.e2e.daemon.harness import ROOT, DaemonHarness, Site, Wire, until
from tests.faults import fault
from tests.other_user import OtherUser
from tests.processes import run_program


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


@pytest.fixture(scope="module")
def served(lasting: DaemonHarness, site: Site) -> DaemonHarness:
    """A daemon whose only tab shows the site's first page, as each test leaves it."""
    lasting.must("goto", site("/"))
    return lasting


@pytest.fixture(scope="module", autouse=True)
def rude(lasting: DaemonHarness) -> Iterator[Wire]:
    """Connect a client that does not read its replies, from the first test on.

    The daemon takes ten seconds to react.
    """
    lasting.must("js", "1")
    with lasting.connect() as wire:
        wire.send(*({"cmd": "js", "args": ["'x'.repeat(90000)"], "reply": "json"} for _ in range(200)))
        with lasting.connect() as other:
            assert other.ask("url")["ok"]
        yield wire


@pytest.fixture(scope="module", autouse=True)
def slow(lasting: DaemonHarness, rude: Wire) -> Iterator[Wire]:
    """A client that has begun a request, from the first test on."""
    with lasting.connect() as wire:
        wire.send(b'{"cmd":')
        yield wire


@pytest.fixture(scope="module", autouse=True)
def idle(lasting: DaemonHarness, rude: Wire) -> Iterator[Wire]:
    """A client that has asked nothing, from the first test on."""
    with lasting.connect() as wire:
        yield wire


def text(home: DaemonHarness, request: bytes) -> bytes:
    """Return the answer to a plain text request, up to the end of the connection."""
    with home.connect() as wire:
        wire.send(request)
        return wire.rest()


def test_the_socket_and_all_beside_it_are_the_owner_s_alone(served: DaemonHarness) -> None:
    state = served.workspace / ".gstack"
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert {oct(stat.S_IMODE(entry.stat().st_mode)) for entry in state.iterdir()} == {"0o600"}
    described = json.loads((state / "browse.json").read_text())
    assert described.keys() == {"pid", "socket", "startedAt", "version"}
    assert (described["pid"], described["socket"]) == (served.daemon().pid, str(served.socket))


def test_text_reply_ends_with_connection_and_has_trailer_on_request(served: DaemonHarness, site: Site) -> None:
    url = site("/").encode() + b"\n"
    assert text(served, b'{"cmd":"url"}\n') == url
    assert text(served, b'{"cmd":"nonsens"}\n').startswith(b"Error: Unknown command: nonsens\n")
    assert text(served, b"nonsense\n").startswith(b"Error: The request is not JSON")
    assert text(served, b'{"cmd":"url","status":true,"stderr":true}\n') == url + b"\x000\n"
    failed = text(served, b'{"cmd":"nonsens","status":true,"stderr":true}\n')
    assert re.fullmatch(rb"\x01Error: Unknown command: nonsens\n[^\x00-\x08]*\n\x02\x002\n", failed)


def test_a_sign_of_life_every_second(served: DaemonHarness) -> None:
    begun = text(served, b'{"cmd":"wait","args":["5000"],"status":true}\n')  # a busy machine owes a few
    assert begun.startswith(b"\x16\x16")
    assert begun.endswith(b"\x000\n")


def test_json_requests_are_answered_in_order_on_one_connection(served: DaemonHarness, site: Site) -> None:
    slow = {"cmd": "wait", "args": ["200"]}
    with served.connect() as wire:
        wire.send(*({**(slow if n % 10 == 0 else {"cmd": "url"}), "id": n, "reply": "json"} for n in range(30)))
        replies = [wire.line() for _ in range(30)]
        told = wire.ask("url", id={"any": ["thing"]})
        failed = wire.ask("click", "@e99")
        chained = wire.ask("chain", '[["url"],["click","@e99"]]')
    assert [(reply["id"], reply["ok"], reply["code"]) for reply in replies] == [(n, True, 0) for n in range(30)]
    assert told == {"id": {"any": ["thing"]}, "ok": True, "code": 0, "text": site("/")}
    assert (failed["ok"], failed["code"], failed["error"]) == (False, 5, "unknown-ref")
    assert failed["hint"]
    assert chained["output"].startswith("[url] http")


@fault("Connections", "a request of more than 1 MiB", "it is refused; what came before it is answered")
def test_a_line_that_is_too_long_is_refused_after_what_came_before_it(served: DaemonHarness) -> None:
    """Take one of the largest size."""
    start, end = b'{"cmd":"js","reply":"json","args":["\'', b"'.length\"]}"
    letters = 1_048_576 - len(start) - len(end)
    with served.connect() as wire:
        wire.send(start + b"x" * letters + end + b"\n", b'{"cmd":"' + b"x" * 1_048_577)
        assert wire.line()["text"] == str(letters)
        assert "longer than 1048576 bytes" in wire.line()["text"]
        assert wire.rest() == b""


@fault(
    "Connections", "a request is begun and not finished", "it is refused after 5 s; idle connections are not"
)
def test_a_line_that_is_not_finished_is_refused_and_idleness_is_not(slow: Wire, idle: Wire) -> None:
    assert slow.rest() == b"Error: The line was not finished within 5 seconds\n"
    assert idle.ask("url")["ok"]


@fault("Connections", "a client does not read its replies", "nobody is disturbed; it is dropped after 10 s")
def test_a_client_that_does_not_read_disturbs_nobody_and_is_dropped(rude: Wire) -> None:
    """See without reading what it was sent that the connection is closed."""
    poll = select.poll()
    poll.register(rude.socket.fileno(), 0)
    assert poll.poll(60_000)


@fault(
    "Connections", "a client hangs up in mid-command", "its command is cancelled, its further lines do not run"
)
def test_a_client_that_hangs_up_cancels_its_command_and_the_rest_of_its_lines(
    served: DaemonHarness, site: Site
) -> None:
    wire = served.connect()
    wait = {"cmd": "wait", "args": ["30000"], "reply": "json"}
    wire.send(wait, *[{"cmd": "goto", "args": [site("/two")], "reply": "json"}] * 100)
    until(lambda: "wait on tab 1" in served.status())
    wire.close()
    until(lambda: "Running" not in served.status())
    assert served.must("url") == site("/")
    assert "/two" not in site.hits


def test_a_client_that_only_stopped_sending_gets_its_answer(served: DaemonHarness) -> None:
    with served.connect() as wire:
        wire.send(b'{"cmd":"wait","args":["300"]}')
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.rest() == b"Waited 300ms\n"


@fault("Connections", "another user connects", "refused before a byte is exchanged")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be somebody else")
def test_another_user_is_refused_before_a_byte(served: DaemonHarness) -> None:
    def connect() -> bytes:
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.settimeout(60)
            stranger.connect(str(served.socket))
            return repr(stranger.recv(100)).encode()

    assert OtherUser(connect, opens_as_root=True).result() == b"b''"


@pytest.mark.skipif(not shutil.which("socat"), reason="socat is not installed")
def test_the_examples_in_the_documentation(served: DaemonHarness, site: Site) -> None:
    document = (ROOT / "docs/protocol.md").read_text()
    examples = re.findall(r"```console\n(.*?)```", document, re.DOTALL)
    assert examples
    for example in examples:
        command, _, wanted = (
            example.removeprefix("$ ").replace("http://localhost:3000/", site("/")).partition("\n")
        )
        done = run_program(["bash", "-c", command], cwd=served.workspace)
        assert done.stdout == wanted, command
