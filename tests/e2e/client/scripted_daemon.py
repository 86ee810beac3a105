"""Stand in for a daemon without a browser, for testing clients.

It does what the words of each request tell it to.

    python scripted_daemon.py WORKSPACE      prints "ready" when it listens

Steps, one a word: `send:TEXT` (with Python's escapes), `megabytes:N` (of ü), `wait:SECONDS`, `work:SECONDS` (of the processor's time), `close`, `stop` (SIGSTOP to itself),
`die` (SIGKILL), `hang` (say nothing more), `echo` (the request as JSON), `count` (requests seen so far), `busy:N`
(the first N requests are answered with "busy"), `leave-if-second` (if this is the second request: remove the
socket, answer "busy", end).
The commands `chain`, `eval` and `press` are `echo`, whatever their words. A request whose command is `stop` or `restart` is answered unless the daemon was started with `--deaf`; with
`--stubborn` it ignores SIGTERM. With `--one-thread` it serves one connection after the other.
"""

import json
import os
import signal
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../../..")

from gstack_browse.workspace.directory import LOCK, SOCKET
from gstack_browse.workspace.state import WritableStateDir, open_state_dir

BUSY = b"\x01Error: The daemon is busy\n\x02\x008\n"
seen = 0


def main() -> None:
    if "--stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    state = open_state_dir(sys.argv[1])
    lock = state.lock(LOCK)
    assert lock is not None, "another daemon is alive"
    with socket.socket(fileno=state.bind()) as server:
        print("ready", flush=True)
        while True:
            connection, _ = server.accept()
            if "--one-thread" in sys.argv:
                serve(connection, state)
            else:
                threading.Thread(target=serve, args=(connection, state), daemon=True).start()


def serve(connection: socket.socket, state: WritableStateDir) -> None:
    global seen
    with connection, connection.makefile("rb") as lines:
        for line in lines:
            seen += 1
            request = json.loads(line)
            words = request.get("args", [])
            if request["cmd"] in ("stop", "restart") and "--deaf" not in sys.argv:
                words = ["send:Server stopped\n\0" + "0\n"]
            elif request["cmd"] in ("chain", "eval", "press"):
                words = ["echo"]
            elif request["cmd"] in ("stop", "restart"):
                words = ["hang"]
            for word in words:
                if not step(word, request, connection, state):
                    return


def step(word: str, request: dict, connection: socket.socket, state: WritableStateDir) -> bool:
    name, _, value = word.partition(":")
    match name:
        case "send":
            connection.sendall(value.encode("latin-1").decode("unicode_escape").encode())
        case "megabytes":
            connection.sendall("ü".encode() * int(value) * 500_000)
        case "wait":
            time.sleep(float(value))
        case "work":
            give_up = time.process_time() + float(value)
            while time.process_time() < give_up:
                pass
        case "close":
            return False
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            threading.Event().wait()
        case "echo":
            connection.sendall(json.dumps(request).encode() + b"\n\x000\n")
        case "count":
            connection.sendall(b"%d\n\x000\n" % seen)
        case "busy":
            if seen <= int(value):
                connection.sendall(BUSY)
                return False
        case "leave-if-second":
            if seen == 2:
                state.remove(SOCKET)
                connection.sendall(BUSY)
                os._exit(0)
    return True


main()
