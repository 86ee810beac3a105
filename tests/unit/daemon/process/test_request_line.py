from pathlib import Path

from gstack_browse.daemon.process.main import _answer_without_daemon
from gstack_browse.daemon.process.starter import first_command_name
from gstack_browse.protocol import Request, encode_request
from tests.each import each, each_row


@each_row(
    (Request("goto", ["https://a.example"]), "goto"),
    (Request("chain", ['[["goto","https://a.example"],["snapshot","-i"]]']), "goto"),
    (Request("batch", [' [\n [ "newtab", "https://a.example" ] ]']), "newtab"),
    (Request("chain", ["snapshot -i\ngoto https://a.example"]), "snapshot"),
    (Request("chain", stdin='[["js", "1"]]\n'), "js"),
    (Request("chain", ["--keep-going", '[["goto"]]']), "chain"),
    (Request("chain", ['[["bogus"]]']), "chain"),
    (Request("chain", ["[]"]), "chain"),
    (Request("chain", ['[["' + "x" * 5000]), "chain"),
)
def test_the_command_that_runs_first_is_told_from_a_line(request_: Request, first: str) -> None:
    assert first_command_name(encode_request(request_)) == first


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
