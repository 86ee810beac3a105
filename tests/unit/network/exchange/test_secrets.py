import shlex

from gstack_browse.network.exchange import content, report
from gstack_browse.network.exchange.content import mask_headers
from tests.each import each, each_row


@each_row(
    ("Cookie", "sid=abc; theme=dark", "sid=[redacted]; theme=[redacted]"),
    ("cookie", "nonsense", "[redacted]"),
    ("Authorization", "Bearer abc.def", "Bearer [redacted]"),
    ("X-Api-Key", "12345678", "[redacted]"),
    ("X-Anything", "Bearer abcdefghijkl", "[redacted]"),
    ("WWW-Authenticate", 'Basic realm="x"', 'Basic realm="x"'),
    ("Location", "/in?code=12345&page=2", "/in?code=[redacted]&page=2"),
    ("Referer", "http://ann:pw@host/?token=1", "http://ann:[redacted]@host/?token=[redacted]"),
    (":path", "/in?session=12345", "/in?session=[redacted]"),
    ("Content-Type", "text/html", "text/html"),
)
def test_secrets_in_header_fields_are_redacted(name: str, value: str, shown: str) -> None:
    assert mask_headers([(name, value)], secrets=False) == [(name, shown)]


MULTIPART = (
    '--x\r\nContent-Disposition: form-data; name="user"\r\n\r\nann\r\n'
    '--x\r\nContent-Disposition: form-data; name="password"\r\nContent-Type: text/plain\r\n\r\nhunter22\r\n--x--\r\n'
)


@each_row(
("user=ann&password=hunter22", "application/x-www-form-urlencoded", "user=ann&password=[redacted]"),
        ("user=a%20n&x=", "application/x-www-form-urlencoded", "user=a%20n&x="),
        ('{"user":"ann","deep":[{"token":"abc"}]}', "application/json", '{"user": "ann", "deep": [{"token": "[redacted]"}]}'),
        ('{"user":"ann"}', "application/json", '{"user":"ann"}'),
        (MULTIPART, "multipart/form-data", MULTIPART.replace("hunter22", "[redacted]")),
        ("password is a word", "text/plain", "password is a word"),
)  # fmt: skip
def test_secrets_in_bodies_are_redacted(text: str, kind: str, shown: str) -> None:
    assert content.hide_body_secrets(text, kind) == shown


def test_body_is_decoded_as_text_or_none_and_encoded_again() -> None:
    for body, kind, charset, text in [
        (b"caf\xe9", "text/html", "iso-8859-1", "café"),
        (b"caf\xc3\xa9", "application/octet-stream", "", "café"),
        (b"\x00\x01\xff", "application/octet-stream", "", None),
        (b"\x89PNG\r\n\x1a\n\x00", "image/png", "", None),
        (b"\xff<p>", "text/html", "no-such-charset", "\ufffd<p>"),
    ]:
        assert content.decode_body(body, kind, charset) == text
    assert content.encode_body("café", "windows-1252") == b"caf\xe9"
    assert content.encode_body("日本", "windows-1252") == "日本".encode(), "what it cannot have been"


def test_curl_commands_events_and_frames_are_written_and_read() -> None:
    headers = [(":method", "PUT"), ("Host", "h"), ("Content-Length", "9"), ("X-It's", "a 'b' $c"), ("Accept-Encoding", "br")]  # fmt: skip
    made = report.render_curl("PUT", "http://h/?a=1&b='2'", headers, "it's\n$HOME")
    words = shlex.split(made.replace("\\\n", ""))
    assert words == [
        "curl", "http://h/?a=1&b='2'", "-X", "PUT", "-H", "X-It's: a 'b' $c", "--compressed", "--data-raw", "it's\n$HOME",
    ]  # fmt: skip
    assert report.render_curl("GET", "http://h/", [], None) == "curl http://h/"
    assert "-X" not in report.render_curl("POST", "http://h/", [], "x")
    body = (
        "\ufeff: comment\r\nid: 1\r\nevent: tick\r\ndata: a\r\ndata:b\r\n\r\ndata\n\nevent: lost\n\ndata: c\n"
    )
    expected = [("tick", "a\nb"), ("message", "")]
    assert [(frame.kind, frame.data) for frame in content.parse_event_stream(body, 0.0)] == expected
    sent = {"timestamp": 2.5, "response": {"opcode": 1, "payloadData": '{"token":"abc"}'}}
    frame = content.from_web_socket_event("Network.webSocketFrameSent", sent)
    assert frame.render(1.0, secrets=False) == '+1.500s ↑ text 15B {"token": "[redacted]"}'
    assert frame.render(1.0, secrets=True) == '+1.500s ↑ text 15B {"token":"abc"}'


@each(["\n", "\r\n", "\r"])
def test_a_stream_in_pieces_of_any_size(end: str) -> None:
    body = "event: tick|data: a|data:b||: comment|data|||event: lost||data: c||data: d".replace("|", end)
    for size in range(1, 12):
        events, unread = list[tuple[str, str]](), ""
        for at in range(0, len(body), size):
            whole, unread = content.split_events(unread + body[at : at + size])
            events += whole
        assert events == [("tick", "a\nb"), ("message", ""), ("message", "c")], size
