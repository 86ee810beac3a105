from gstack_browse.daemon.process.starter import command_name, first_command_name
from gstack_browse.protocol import Request, encode_request
from tests.each import each, each_row


@each(["url", "fill-form", "unheard-of"])
def test_the_name_is_told_from_a_line(cmd: str) -> None:
    assert command_name(encode_request(Request(cmd, ['{"cmd":"goto"}'], cwd="/a b", tab=3))) == cmd


@each([b"", b"goto", b'{"id":1,"cmd":"goto"}', b' {"cmd":"goto"}', b'{"cmd":7}'])
def test_the_name_in_a_line_of_another_make_is_left_to_a_parser(line: bytes) -> None:
    assert command_name(line) == ""


@each_row(
    (Request("goto", ["https://a.example"]), "goto"),
    (Request("bogus"), "bogus"),
    (Request("chain", ['[["goto","https://a.example"],["snapshot","-i"]]']), "goto"),
    (Request("batch", [' [\n [ "newtab", "https://a.example" ] ]']), "newtab"),
    (Request("chain", ["snapshot -i\ngoto https://a.example"]), "snapshot"),
    (Request("chain", ["tabs\nurl"]), "tabs"),
    (Request("chain", stdin='[["js", "1"]]\n'), "js"),
    (Request("chain", stdin="open a.example\r\n"), "open"),
    (Request("chain", ["--keep-going", '[["goto"]]']), "chain"),
    (Request("chain", ['[["bogus"]]']), "chain"),
    (Request("chain", ["[]"]), "chain"),
    (Request("chain"), "chain"),
    (Request("chain", ['[["' + "x" * 5000]), "chain"),
)
def test_the_command_that_runs_first_is_told_from_a_line(request_: Request, first: str) -> None:
    assert first_command_name(encode_request(request_)) == first
