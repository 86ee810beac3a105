from pathlib import Path

from gstack_browse.daemon.process.main import _answer_without_daemon
from gstack_browse.protocol import Request
from tests.each import each


@each(
    [
        ["secret-set", "shop", "--origin", "https://shop.example"],
        ["http-auth", "ann"],
        ["cookie-set", "a", "-"],
        ["storage-set", "a", "-"],
        ["eval", "-"],
        ["chain"],
    ]
)
def test_piped_input_is_bound_to_the_command_that_starts_the_daemon(words: list[str], tmp_path: Path) -> None:
    reply, command = _answer_without_daemon(Request(words[0], words[1:], stdin="value\n"), str(tmp_path))
    assert reply is None
    assert command is not None
    assert command.name == words[0]
