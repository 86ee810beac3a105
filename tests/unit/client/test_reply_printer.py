import pytest

from gstack_browse.client.reply_printer import JsonReplyPrinter, JsonStreamPrinter, ReplyPrinter, StreamPrinter
from tests.each import each

REPLY = b"\x16\x01Note: Chromium is starting\n\x02\x16result\nof two lines\n\x01Error: no\nhint\n\x02\x004\n"


@each([1, 2, 7, 1000])
def test_a_text_reply_in_pieces_of_any_size(size: int, capfd: pytest.CaptureFixture[str]) -> None:
    printer = ReplyPrinter()
    pieces = [REPLY[at : at + size] for at in range(0, len(REPLY), size)]
    assert [printer.feed(piece) for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert capfd.readouterr() == ("", "Note: Chromium is starting\n"), "a remark is not held back"
    printer.finish()
    assert capfd.readouterr() == ("result\nof two lines\n", "Error: no\nhint\n")
    assert printer.code == 4


def test_cut_off_and_json_replies_are_printed_as_they_are(capfd: pytest.CaptureFixture[str]) -> None:
    printer = ReplyPrinter()
    assert not printer.feed(b"half")
    printer.print_incomplete()
    assert capfd.readouterr() == ("half", "")
    line = b'{"id":null,"ok":false,"code":5,"error":"stale-ref","text":"\\"code\\":0"}\n'
    printer = JsonReplyPrinter()
    assert not printer.feed(b"\x16" + line[:30])
    assert printer.feed(b"\x16" + line[30:])
    printer.finish()
    assert (printer.code, capfd.readouterr()) == (5, (line.decode(), ""))


@each([1, 2, 7, 1000])
def test_parts_are_printed_as_they_come(size: int, capfd: pytest.CaptureFixture[str]) -> None:
    printer = StreamPrinter()
    for first, printed in ((b"\x16one\n", "one\n"), (b"two\n\x16three\n", "two\nthree\n")):
        assert not any(printer.feed(first[at : at + size]) for at in range(0, len(first), size))
        assert capfd.readouterr().out == printed
    assert printer.feed(b"\x01Error: gone\n\x02\x006\n")
    printer.finish()
    assert (printer.code, capfd.readouterr()) == (6, ("", "Error: gone\n"))


@each([1, 2, 7, 1000])
def test_parts_in_json_are_lines(size: int, capfd: pytest.CaptureFixture[str]) -> None:
    parts = b'{"id":1,"more":true,"text":"\\"code\\":0"}\n\x16{"id":1,"more":true,"text":"b"}\n'
    last = b'{"id":1,"ok":false,"code":6,"error":"state-lost","text":"\\"more\\":true"}\n'
    printer = JsonStreamPrinter()
    assert not any(printer.feed(parts[at : at + size]) for at in range(0, len(parts), size))
    assert capfd.readouterr().out.encode() == parts.replace(b"\x16", b"")
    assert [printer.feed(last[at : at + size]) for at in range(0, len(last), size)][-1]
    printer.finish()
    assert (printer.code, capfd.readouterr().out.encode()) == (6, last)
