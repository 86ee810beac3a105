import os

import pytest

from gstack_browse.daemon.request.view import read_environment


def test_variables_of_a_process_are_read_by_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_environment(os.getpid(), "PATH")["PATH"]
    assert read_environment(os.getpid(), "NO_SUCH_VARIABLE") == {}
    monkeypatch.setenv("FLOW_SIZE", "a=b")
    assert read_environment(0, "FLOW_") == {"FLOW_SIZE": "a=b"}
    assert read_environment(2**22 + 7, "PATH") == {}, "of a process that has ended"
