"""Acts as a user who is neither root nor whoever runs the tests.

In a forked process: another interpreter, or a copy of this repository, may lie where that user cannot reach it.
"""

import ctypes
import os
import sys
import traceback
from collections.abc import Callable

import pytest

NOBODY = 65534
NOT_HERE = 77
"""Exit code of a process that cannot become that user, as in a container that knows one user only."""


class OtherUser:
    """A process of another user, which ends once it has called `act`."""

    def __init__(self, act: Callable[[], bytes], user: int = NOBODY, *, opens_as_root: bool = False) -> None:
        """Start it. With `opens_as_root` it opens files and sockets by their paths as root may."""
        libc = ctypes.CDLL(None)
        self._result, theirs = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            code = 1
            try:
                code = NOT_HERE
                os.seteuid(user) if opens_as_root else os.setuid(user)
                code = 1
                if opens_as_root:
                    libc.setfsuid(0)
                os.write(theirs, act())
                code = 0
            except BaseException:  # noqa: BLE001 - it must not go on as a copy of pytest, whatever has happened
                traceback.print_exc(file=sys.__stderr__)
            finally:
                os._exit(code)
        os.close(theirs)

    def result(self) -> bytes:
        """Wait for its end, and return what `act` returned."""
        with open(self._result, "rb") as told:
            result = told.read()
        code = os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        if code == NOT_HERE:
            pytest.skip("there is no other user here")
        assert code == 0, "the other user's process has failed: see its standard error"
        return result
