"""Request and Reply as bytes, and the limits of the wire. Nothing else knows the framing.

Shared by the daemon and the thin client. The client's start-up is the user's waiting time, so the
module level imports nothing: `errors` and the JSON codecs are imported where they are used.
`docs/protocol.md` is the contract in prose.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from json import JSONDecodeError
    from typing import Any

    from gstack_browse.errors import BrowseError

MAX_LINE_BYTES = 1024 * 1024
RULES = ("BROWSE_ALLOW", "BROWSE_ALLOW_RESOURCES", "BROWSE_CONFIRM")
"""Variables that forbid something. Clients send what the caller's environment says: the daemon may have been started without."""
HOME_VARIABLE = "GSTACK_HOME"
"""Clients send it along with the rules: where secrets and the image service are kept."""
LINE_SECONDS = 5.0
"""How long a client may take to finish a line it has started."""
PLACE_SECONDS = 3.0
"""How long a request waits for a place before its client is told that the daemon is busy: less than clients wait for an answer."""
READ_SECONDS = 10.0
"""How long a client may leave its reply unread before it is dropped."""
HEARTBEAT_SECONDS = 1.0

DEFAULT_CONTEXT = "default"
"""What the browser context is called that is meant where nobody names one."""
MOST_CONTEXT_NAME = 40

HEARTBEAT = b"\x16"
"""SYN: "still working", sent between the request and the body when `status` was asked for."""
NOTE_START = b"\x01"
NOTE_END = b"\x02"
"""SOH … STX enclose what is meant for standard error, when `stderr` was asked for."""
END_OF_BODY = b"\x00"
FOLLOW = "--follow"
"""The option of commands whose reply comes in parts, until the client goes away."""
PROGRESS = "\r"
"""What a remark begins with that is only to be seen while the command runs: it gets no end of line, and the next one is written over it."""


class Request:
    """A command as received, with its words as typed."""

    __slots__ = (
        "any_download",
        "args",
        "as_",
        "cmd",
        "colour",
        "cwd",
        "fence",
        "id",
        "peer",
        "progress",
        "reply",
        "rules",
        "send",
        "share",
        "status",
        "stderr",
        "stdin",
        "tab",
        "timeout",
    )

    def __init__(
        self,
        cmd: str,
        args: "Sequence[str]" = (),
        *,
        cwd: str = "",
        stdin: "str | None" = None,
        tab: "int | None" = None,
        timeout: "int | None" = None,
        reply: str = "text",
        id: object = None,
        status: bool = False,
        stderr: bool = False,
        fence: bool = False,
        rules: "Mapping[str, str] | None" = None,
        progress: bool = False,
        colour: bool = False,
        as_: str = "",
        share: str = "",
        any_download: bool = False,
    ) -> None:
        self.cmd = cmd
        self.args = list(args)
        self.cwd = cwd
        self.stdin = stdin
        self.tab = tab
        self.timeout = timeout
        self.reply = reply
        self.id = id
        self.status = status
        self.stderr = stderr
        self.fence = fence
        self.rules = rules
        """What the caller's environment says of what pages may be shown (`RULES`), as far as it does."""
        self.progress = progress
        """Whether the caller's standard error is a terminal, on which progress can be shown."""
        self.colour = colour
        """Whether the caller's standard output is a terminal that takes colour."""
        self.as_ = as_
        """The browser context that is meant, by name; "" for the default one."""
        self.share = share
        """Whose logins that context begins with, by name; "" for nobody's."""
        self.any_download = any_download
        self.send: "Callable[[str], Awaitable[None]] | None" = None
        """Sends a part of the reply; None where the reply cannot come in parts."""
        self.peer = 0
        """The process that sent it, as the kernel knows it; 0 where nobody has sent it by itself."""


class Reply:
    """The result of a command: `text` for standard output, and the error if it failed.

    `notes` are remarks beside the result (state was lost, the daemon was replaced).
    """

    __slots__ = ("code", "error", "hint", "message", "notes", "text")

    def __init__(
        self,
        text: str = "",
        *,
        code: int = 0,
        error: str = "",
        message: str = "",
        hint: str = "",
        notes: "Sequence[str]" = (),
    ) -> None:
        self.text = text
        self.code = code
        self.error = error
        self.message = message
        self.hint = hint
        self.notes = list(notes)


def failure(error: "BrowseError") -> Reply:
    """Return the reply that reports `error`, with the output that the command had before."""
    return Reply(error.output, code=error.code, error=error.kind, message=error.message, hint=error.hint)


def encode_request(request: Request) -> bytes:
    """Return a request as one line of JSON, encoded without a JSON library. Raises UsageError if too long."""
    fields = [f'"cmd":{encode_json_string(request.cmd)}']
    if request.args:
        fields.append(f'"args":[{",".join(map(encode_json_string, request.args))}]')
    if request.cwd:
        fields.append(f'"cwd":{encode_json_string(request.cwd)}')
    if request.stdin is not None:
        fields.append(f'"stdin":{encode_json_string(request.stdin)}')
    if request.tab is not None:
        fields.append(f'"tab":{request.tab}')
    if request.timeout is not None:
        fields.append(f'"timeout":{request.timeout}')
    if request.reply != "text":
        fields.append(f'"reply":{encode_json_string(request.reply)}')
    if isinstance(request.id, int):
        fields.append(f'"id":{request.id}')
    for flag in ("status", "stderr", "fence", "any_download", "progress", "colour"):
        if getattr(request, flag):
            fields.append(f'"{flag}":true')
    if request.as_:
        fields.append(f'"as":{encode_json_string(request.as_)}')
    if request.share:
        fields.append(f'"share":{encode_json_string(request.share)}')
    if request.rules:
        rules = (
            f"{encode_json_string(name)}:{encode_json_string(value)}" for name, value in request.rules.items()
        )
        fields.append(f'"rules":{{{",".join(rules)}}}')
    line = ("{" + ",".join(fields) + "}\n").encode("ascii")
    if len(line) > MAX_LINE_BYTES:
        from gstack_browse.errors import UsageError

        raise UsageError(f"The request is {len(line)} bytes; at most {MAX_LINE_BYTES} fit on one line")
    return line


def decode_request(line: bytes) -> Request:
    """Decode a client's line of JSON to a request.

    Raises UsageError, in one line of text, for bytes that are not UTF-8, not JSON, or not of the
    documented types.
    """
    import orjson

    from gstack_browse.errors import UsageError

    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UsageError(_describe_unreadable(line, error)) from None
    if not isinstance(fields, dict):
        raise UsageError('The request must be a JSON object such as {"cmd":"url"}')
    return _parse_request(fields)


def _describe_unreadable(line: bytes, error: "JSONDecodeError") -> str:
    """Describe why a line cannot be decoded: not UTF-8, or not JSON."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as no_text:
        return f"The request is not UTF-8 (byte {no_text.start})"
    return f"The request is not JSON: {error.msg} (character {error.pos})"


def guess_reply_form(line: bytes) -> Request:
    """Return an empty request with the reply form (text or JSON) that a malformed line seems to want."""
    return Request(
        "",
        reply="json" if b'"json"' in line else "text",
        status=b'"status"' in line,
        stderr=b'"stderr"' in line,
    )


_FIELDS = {
    "cmd": (str, "a string"),
    "args": (list, "a list of strings"),
    "cwd": (str, "a string"),
    "stdin": (str, "a string"),
    "tab": (int, "a tab's number"),
    "timeout": (int, "a number of milliseconds"),
    "reply": (str, '"text" or "json"'),
    "status": (bool, "true or false"),
    "stderr": (bool, "true or false"),
    "fence": (bool, "true or false"),
    "any_download": (bool, "true or false"),
    "rules": (dict, "an object of strings"),
    "progress": (bool, "true or false"),
    "colour": (bool, "true or false"),
    "as": (str, "the name of a browser context"),
    "share": (str, "the name of a browser context"),
}
"""The fields of a request besides `id`, which may be anything: their types, and how an error names those."""


def _parse_request(fields: "Mapping[str, Any]") -> Request:
    """Convert a decoded JSON object to a request; ignore unknown fields.

    Raises UsageError for a field of a wrong type or value.
    """
    from gstack_browse.errors import UsageError

    given: dict[str, Any] = {}
    for name, value in fields.items():
        if value is None or name not in _FIELDS:
            continue
        given[name] = value
        kind, wanted = _FIELDS[name]
        if not isinstance(value, kind) or (kind is int and value.__class__ is bool):
            raise UsageError(f'"{name}" must be {wanted}')
    if not given.get("cmd"):
        raise UsageError('The request has no "cmd"', 'Send for example {"cmd":"help"}')
    try:
        words = "".join(given.get("args", ()))
    except TypeError:
        raise UsageError('"args" must be a list of strings') from None
    if "\0" in words or "\0" in given.get("cwd", ""):
        raise UsageError("A word cannot hold a NUL character")
    if "rules" in given and not all(isinstance(value, str) for value in given["rules"].values()):
        raise UsageError('"rules" must be an object of strings')
    if given.get("reply", "text") not in ("text", "json"):
        raise UsageError('"reply" must be "text" or "json"')
    given["as_"] = parse_context_name(given.pop("as", ""))
    if given.get("share"):
        given["share"] = parse_share(given["as_"], given["share"])
    if given.get("timeout", 1) <= 0:
        raise UsageError('"timeout" must be a positive number of milliseconds')
    return Request(**given, id=_check_id(fields.get("id")))


def is_context_name(word: str) -> bool:
    """Return whether a word can be the name of a browser context, which is also a part of file names."""
    is_plain = word.isascii() and word[:1].isalnum() and word.replace("-", "").replace("_", "").isalnum()
    return is_plain and word == word.lower() and len(word) <= MOST_CONTEXT_NAME


def parse_context_name(word: str) -> str:
    """Return a browser context's name as used; "" for `default`. Raises UsageError for an invalid name."""
    if word and not is_context_name(word):
        from gstack_browse.errors import UsageError

        raise UsageError(
            f"{word[:MOST_CONTEXT_NAME]!a} is no name of a browser context",
            f"It has small letters, digits, - and _, at most {MOST_CONTEXT_NAME}: for example ann",
        )
    return "" if word == DEFAULT_CONTEXT else word


def parse_share(context: str, share: str) -> str:
    """Return the checked name of a context with whose logins `context` is to start. Raises UsageError."""
    from gstack_browse.errors import UsageError

    if not context:
        raise UsageError("--share is for a context of your own", f"Name it: --as ann --share {DEFAULT_CONTEXT}")
    share = parse_context_name(share) or DEFAULT_CONTEXT
    if share == context:
        raise UsageError(
            f"A context cannot share with itself: {context!a}", "Name another one, or leave out --share"
        )
    return share


def _check_id(id: "Any") -> "Any":
    """Return a request's `id` (any JSON value). Raises UsageError if it cannot be sent back in the reply.

    JSON can be read at depths of nesting at which it cannot be written.
    """
    if isinstance(id, list | dict):
        import orjson

        from gstack_browse.errors import UsageError

        try:
            orjson.dumps(id)
        except orjson.JSONEncodeError:
            raise UsageError('"id" is nested too deeply') from None
    return id


def encode_reply(request: Request, reply: Reply) -> bytes:
    """Encode a reply as text or JSON, as its request asks."""
    if request.reply != "json":
        return _encode_text_reply(request, reply)
    import orjson

    return orjson.dumps(reply_fields(request, reply), option=orjson.OPT_APPEND_NEWLINE)


def encode_part(request: Request, text: str) -> bytes:
    """Encode a part of a streamed reply's output as text or JSON, as its request asks."""
    if request.reply != "json":
        return _encode_line(text)
    import orjson

    return orjson.dumps({"id": request.id, "more": True, "text": text}, option=orjson.OPT_APPEND_NEWLINE)


def encode_note(note: str) -> bytes:
    """Encode a remark, which the client prints to standard error while the command still runs."""
    end = "" if note.startswith(PROGRESS) else "\n"
    return NOTE_START + (note + end).encode("utf-8", "replace") + NOTE_END


def reply_fields(request: Request, reply: Reply) -> "dict[str, object]":
    """Return the fields of a JSON reply. "code" comes before any text, so that the client finds it easily."""
    fields: dict[str, object] = {"id": request.id, "ok": reply.code == 0, "code": reply.code}
    if request.as_:
        fields["as"] = request.as_
    if reply.code == 0:
        fields["text"] = reply.text
    else:
        fields["error"] = reply.error
        fields["text"] = reply.message
        if reply.hint:
            fields["hint"] = reply.hint
        if reply.text:
            fields["output"] = reply.text
    if reply.notes:
        fields["notes"] = reply.notes
    return fields


def _encode_text_reply(request: Request, reply: Reply) -> bytes:
    """Encode a reply as text: notes, output, error, and the exit code if the request asks for it."""
    pieces = [_encode_piece(f"Note: {note}", aside=request.stderr) for note in reply.notes]
    pieces.append(_encode_line(reply.text))
    if reply.code:
        pieces.append(_encode_piece(_error_text(reply), aside=request.stderr))
    if request.status:
        pieces.append(END_OF_BODY + b"%d\n" % reply.code)
    return b"".join(pieces)


def _error_text(reply: Reply) -> str:
    """Return the text for a failed reply: its message, after one "Error: ", and its hint."""
    text = f"Error: {reply.message.removeprefix('Error: ')}"
    return f"{text}\n{reply.hint}" if reply.hint else text


def _encode_piece(text: str, *, aside: bool) -> bytes:
    """Encode a text as part of a text reply. `aside`: a note, which the client prints to standard error."""
    return NOTE_START + _encode_line(text) + NOTE_END if aside else _encode_line(text)


def _encode_line(text: str) -> bytes:
    """Encode a text as UTF-8 with exactly one final newline; b"" for ""."""
    return (text.rstrip("\n") + "\n").encode("utf-8", "replace") if text else b""


def encode_json_string(text: str) -> str:
    """Encode a string as JSON, without importing `json`."""
    from _json import encode_basestring_ascii  # what json.dumps calls, without importing json

    return encode_basestring_ascii(text)
