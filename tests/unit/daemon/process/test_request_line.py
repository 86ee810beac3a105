from gstack_browse.daemon.process.starter import first_command_name
from gstack_browse.protocol import Request, encode_request
from tests.each import each_row


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
