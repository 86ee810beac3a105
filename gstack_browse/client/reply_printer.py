"""Parse and print a reply as it arrives: notes to standard error at once, the result at its end.

The result is kept until it is whole: the daemon drops a client that does not read, and standard output may be a
pager that somebody is reading slowly.
"""

import posix

from gstack_browse.protocol import END_OF_BODY, FOLLOW, HEARTBEAT, NOTE_END, NOTE_START, encode_json_string

_ERROR = b"Error:"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gstack_browse.errors import BrowseError


class ReplyPrinter:
    """Parses a text reply and prints it: notes to standard error at once, the result at the end.

    The format: notes between SOH and STX, the body, NUL, the exit code and a newline.
    """

    __slots__ = ("_body", "_error", "_inside", "_note", "_trailer", "code")

    def __init__(self) -> None:
        self.code = -1
        self._body: list[bytes] = []
        self._inside = "body"
        self._note = b""
        self._error = b""
        self._trailer = b""

    def feed(self, received: bytes) -> bool:
        """Parse bytes received from the daemon, and print notes in them. Return whether the reply is complete."""
        data = received.translate(None, HEARTBEAT)
        while data:
            if self._inside == "body":
                data = self._take_body(data)
            elif self._inside == "note":
                text, end, data = data.partition(NOTE_END)
                self._note += text
                if end:
                    self._inside = "body"
                    self._print_note()
            else:
                self._trailer += data
                break
        if self._trailer.endswith(b"\n") and len(self._trailer) <= 4 and self._trailer[:-1].isdigit():
            self.code = int(self._trailer)
        return self.code >= 0

    def finish(self) -> None:
        """Print the command's output, then the error if the command failed."""
        write_all(1, b"".join(self._body))
        write_all(2, colour_error(self._error))

    def decode_base64(self) -> None:
        """Decode the output, a picture or PDF in base64, before it is printed. Do nothing after an error."""
        from binascii import a2b_base64

        if self.code == 0:
            self._body = [a2b_base64(b"".join(self._body))]

    def set_result(self, text: str) -> None:
        """Make `text` the output of a successful reply: the client did the work of a daemon that hangs."""
        self._body = [text.encode() + b"\n"]
        self.code = 0

    def print_incomplete(self) -> None:
        """Print the part of the output that has arrived before the connection broke off."""
        body = b"".join(self._body)
        write_all(2 if body.startswith(b"Error: ") else 1, body)

    def note(self, text: str) -> None:
        """Print a remark of the client itself to standard error."""
        write_all(2, f"{text}\n".encode("utf-8", "backslashreplace"))

    def fail(self, error: "BrowseError") -> None:
        """Print an error that arose in the client to standard error."""
        text = f"Error: {error.message}\n{error.hint}".rstrip() + "\n"
        write_all(2, colour_error(text.encode("utf-8", "backslashreplace")))

    def _take_body(self, data: bytes) -> bytes:
        """Move the output at the start of `data` to the collected output.

        Return the rest: the text of a note, the exit code at the end, or b"".
        """
        text, start, rest = data.partition(NOTE_START)
        body, end, trailer = text.partition(END_OF_BODY)
        if body:
            self._body.append(body)
        if end:
            self._inside = "trailer"
            return trailer
        if start:
            self._inside = "note"
        return rest

    def _print_note(self) -> None:
        """Print a complete note to standard error.

        If it is the error, keep it: it is printed after the output, and not at all if the request is sent again.
        """
        if self._note.startswith(b"Error: "):
            self._error = self._note
        else:
            write_all(2, self._note)
        self._note = b""


class JsonReplyPrinter(ReplyPrinter):
    """Receives a JSON reply, which is one line, and prints it as it is."""

    __slots__ = ("_line",)

    def __init__(self) -> None:
        super().__init__()
        self._line: list[bytes] = []

    @property
    def line(self) -> bytes:
        """Return the JSON reply's line, as far as it has arrived."""
        return b"".join(self._line)

    def feed(self, received: bytes) -> bool:
        """Add bytes received from the daemon to the reply's line. Return whether the reply is complete."""
        data = received.translate(None, HEARTBEAT)
        self._line.append(data)
        if data.endswith(b"\n"):
            code = self.line.partition(b'"code":')[2]  # before any text, so nothing else can look like it
            self.code = int(code[: len(code) - len(code.lstrip(b"0123456789"))] or b"1")
        return self.code >= 0

    def finish(self) -> None:
        """Print the JSON reply to standard output."""
        write_all(1, self.line)

    def set_result(self, text: str) -> None:
        """Make `text` the output of a successful JSON reply: the client did the work of a daemon that hangs."""
        self._line = [f'{{"id":null,"ok":true,"code":0,"text":{encode_json_string(text)}}}\n'.encode()]
        self.code = 0

    def print_incomplete(self) -> None:
        """Print nothing: half a line of JSON is of no use to anybody."""

    def fail(self, error: "BrowseError") -> None:
        """Print an error that arose in the client to standard output, as a JSON reply."""
        fields = f'"id":null,"ok":false,"code":{error.code},"error":{encode_json_string(error.kind)},"text":{encode_json_string(error.message)}'
        hint = f',"hint":{encode_json_string(error.hint)}' if error.hint else ""
        write_all(1, f"{{{fields}{hint}}}\n".encode())


class StreamPrinter(ReplyPrinter):
    """Prints each part of a streamed text reply as it arrives."""

    __slots__ = ()

    def _take_body(self, data: bytes) -> bytes:
        """Print the output at the start of `data` at once.

        Return the rest: the text of a note, the exit code at the end, or b"".
        """
        rest = super()._take_body(data)
        body, self._body = self._body, []
        write_all(1, b"".join(body))
        return rest


class JsonStreamPrinter(JsonReplyPrinter):
    """Prints each line of a streamed JSON reply as it arrives. All but the last have "more"."""

    __slots__ = ()

    def feed(self, received: bytes) -> bool:
        """Print each complete line of JSON in the received bytes. Return whether the reply is complete."""
        *lines, rest = (self.line + received.translate(None, HEARTBEAT)).split(b"\n")
        self._line = [rest]
        for line in lines:
            if b'"more":true' not in line.partition(b'"text":')[0]:
                self._line = []
                return super().feed(line + b"\n")
            write_all(1, line + b"\n")
        return False


def choose_printer(reply: str, args: "Sequence[str]") -> type[ReplyPrinter]:
    """Return the class that prints a reply in the form `reply` ("json" or text).

    It is one for streamed replies if the command's `args` have `--follow`.
    """
    if FOLLOW in args:
        return JsonStreamPrinter if reply == "json" else StreamPrinter
    return JsonReplyPrinter if reply == "json" else ReplyPrinter


def is_terminal(fd: int) -> bool:
    """Return whether the descriptor is a terminal that can overwrite lines."""
    return posix.isatty(fd) and posix.environ.get(b"TERM", b"dumb") != b"dumb"


def takes_colour(fd: int) -> bool:
    """Return whether a descriptor is a terminal on which colours are not disabled (no-color.org)."""
    return is_terminal(fd) and not posix.environ.get(b"NO_COLOR")


def colour_error(error: bytes) -> bytes:
    """Return an error message with "Error:" in red, if standard error is a terminal with colours."""
    if error.startswith(_ERROR) and takes_colour(2):
        return b"\x1b[31m" + _ERROR + b"\x1b[0m" + error[len(_ERROR) :]
    return error


def write_all(fd: int, content: bytes) -> None:
    """Write all of `content` to a descriptor, also one in non-blocking mode.

    Raises BrokenPipeError if nobody reads it, FileFailed if it is a file that cannot take it.
    """
    left = memoryview(content)
    while left:
        try:
            left = left[posix.write(fd, left) :]
        except BlockingIOError:
            from select import select

            select([], [fd], [])
        except BrokenPipeError:
            raise
        except OSError as error:
            if fd == 2:
                return  # where should we say it?
            from gstack_browse.errors import FileFailed

            raise FileFailed(f"The output cannot be written: {error.strerror}") from None
