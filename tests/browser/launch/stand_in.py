"""A program in Chromium's place: runs the real one, and passes its messages on as it likes."""

import sys
from pathlib import Path

RELAY = """\
import json, os, signal, sys, threading

def passed(message):
    {passed}

driver_in, driver_out = os.dup(3), os.dup(4)
to_read, to_write = os.pipe()
from_read, from_write = os.pipe()
os.dup2(to_read, 3)
os.dup2(from_write, 4)
os.set_inheritable(3, True)
os.set_inheritable(4, True)
os.posix_spawn({chromium!r}, [{chromium!r}, *sys.argv[1:]], os.environ)
for descriptor in (3, 4, to_read, from_write):
    os.close(descriptor)

def there():
    while data := os.read(driver_in, 1 << 16):
        os.write(to_write, data)
    os.close(to_write)

threading.Thread(target=there, daemon=True).start()
rest = b""
while data := os.read(from_read, 1 << 16):
    *messages, rest = (rest + data).split(b"\\0")
    for message in messages:
        if (out := passed(message)) is not None:
            view = memoryview(out + b"\\0")
            while view:
                view = view[os.write(driver_out, view):]
"""
DIES_OF_A_GOTO = 'return os._exit(7) if b"Page.frameStartedNavigating" in message else message'
KEEPS_STARTING = "return None"


def write(path: Path, chromium: Path, passed: str) -> Path:
    """A program at `path` that starts `chromium` and passes on what the body of `passed(message)` returns."""
    script = RELAY.format(chromium=str(chromium), passed=passed)
    path.write_text(f"#!{sys.executable} -IS\n{script}")
    path.chmod(0o700)
    return path
