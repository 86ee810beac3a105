"""Test readers of other people's bytes with any bytes at all.

They raise our own errors and nothing else, within bounds of memory and time.
"""

import asyncio
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, TypeVar

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.agent.local.qa_report import report_file_name
from gstack_browse.browser.cdp import WORLD
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.pipe import MOST_LOGGED_ERRORS, Pipe
from gstack_browse.browser.devtools.browser import Browser
from gstack_browse.browser.reading.read import convert_markup
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.browser.transfer import state_file
from gstack_browse.cookies import exports
from gstack_browse.cookies.records import normalise_host
from gstack_browse.cookies.stores import database
from gstack_browse.cookies.stores.profiles import Unreadable
from gstack_browse.daemon.persistence.record import CrashRecord
from gstack_browse.daemon.process.starter import first_command_name
from gstack_browse.documents.source_maps import find_map_url
from gstack_browse.errors import BrowseError, FileFailed, Refused, UsageError
from gstack_browse.local_pages.board.pictures import detect_media_type
from gstack_browse.network.exchange.content import hide_body_secrets
from gstack_browse.network.exchange.security import PageFacts, find_problems
from gstack_browse.network.logs import error_message, safe_url
from gstack_browse.protocol import (
    Reply,
    decode_request,
    encode_reply,
    failure,
    guess_reply_form,
    parse_context_name,
)
from gstack_browse.registry.values.paths import CallerPaths, parse_openable_url
from gstack_browse.security.policy.files import refuse_url
from gstack_browse.security.policy.hosts import AllowedHost, HostRules
from gstack_browse.security.policy.metadata import refuse_host
from gstack_browse.text.pattern import Glob
from gstack_browse.text.secrets import find_secret_values
from gstack_browse.workspace.directory import SESSION_FILE
from gstack_browse.workspace.state import open_state_dir
from tests.each import each_row
from tests.unit.cookies import makers
from tests.unit.hostile import damaged, json_values, tried, words

Wrap = Callable[[Any], object]
Result = TypeVar("Result")


def attempt(call: Callable[[], Result], *refusals: type[Exception]) -> tuple[Result | None, str]:
    """Return what the call returns, or the message with which it is refused."""
    try:
        return call(), ""
    except refusals as error:
        return None, error.message if isinstance(error, BrowseError) else str(error)


def as_json(values: st.SearchStrategy[Any], wrap: Wrap = lambda value: value) -> st.SearchStrategy[bytes]:
    return values.map(lambda value: json.dumps(wrap(value)).encode())


def fields(
    optional: dict[str, st.SearchStrategy[Any]], **required: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that have the required fields, and any of the others."""
    return st.fixed_dictionaries(required, optional=optional)


LINE = b'{"cmd":"fill","args":["@e3","a \\"b\\" \\u00e9"],"cwd":"/a","tab":3,"timeout":100,"reply":"json","id":[1,{"a":null}],"status":true,"stderr":true,"fence":true}'
FIELDS = "cmd args cwd stdin tab timeout reply id status stderr fence as share other"
_lines = st.one_of(
    damaged(LINE),
    st.binary(max_size=200),
    as_json(
        st.dictionaries(st.sampled_from(FIELDS.split()), json_values), lambda fields: {"cmd": "url"} | fields
    ),
)


@tried
@given(st.one_of(st.text(max_size=50), st.from_regex(r"[a-z0-9_./-]{1,45}", fullmatch=True)))
def test_the_name_of_a_context_is_a_part_of_a_file_name_or_refused(word: str) -> None:
    name, said = attempt(lambda: parse_context_name(word), UsageError)
    assert name is None or (re.fullmatch(r"([a-z0-9][a-z0-9_-]{0,39})?", name) and name in (word, ""))
    assert (said.isascii(), "\n" in said) == (True, False)


@tried
@given(_lines)
def test_a_line_is_a_request_or_refused(line: bytes) -> None:
    assert isinstance(first_command_name(line), str)
    request, said = attempt(lambda: decode_request(line), UsageError)
    if request:
        assert isinstance(request.cmd, str)
        assert all(isinstance(word, str) for word in request.args)
        encode_reply(request, Reply("text", notes=["note"]))
    assert ("\n" not in said, len(said) < 300) == (True, True)
    form = guess_reply_form(line)
    assert encode_reply(form, failure(UsageError(said))).count(b"\0") == (form.status and form.reply == "text")


# files of cookies

_any = st.one_of(json_values, st.sampled_from(["a.example", "https://[x", "https://a.example/x", "/", "lax"]))
_COOKIE_FIELDS = "domain url path expires expirationDate expiry secure httpOnly sameSite hostOnly session"
_entry = st.one_of(json_values, fields(dict.fromkeys(_COOKIE_FIELDS.split(), _any), name=_any, value=_any))
STATE = b'{"cookies":[{"name":"sid","value":"x","domain":".a.example","path":"/","expires":1893456000,"httpOnly":true,"secure":true,"sameSite":"Lax"}],"origins":[{"origin":"https://a.example","localStorage":[{"name":"a","value":"b"}]}]}'
NETSCAPE = b"# Netscape HTTP Cookie File\n#HttpOnly_.a.example\tTRUE\t/\tTRUE\t1893456000\tsid\tx\nb.example\tFALSE\t/p\tFALSE\t0\tn\t\n"
_files = st.one_of(
    damaged(STATE),
    damaged(NETSCAPE),
    st.binary(max_size=300),
    as_json(st.lists(_entry, max_size=5)),
    as_json(st.lists(_entry, max_size=5), lambda found: {"cookies": found}),
    st.lists(st.lists(words, min_size=5, max_size=8).map("\t".join), max_size=4).map(
        lambda lines: "\n".join(lines).encode("utf-8", "replace")
    ),
)


@tried
@given(_files, words)
def test_a_file_of_cookies_is_read_or_refused(content: bytes, host: str) -> None:
    read, said = attempt(lambda: exports.parse_cookie_file(content, host=host), UsageError)
    parsed = read or exports.ParsedFile()
    assert "\n" not in said
    assert set(map(type, parsed.malformed)) <= {str}
    for cookie in parsed.cookies:
        assert isinstance(exports.rejection_reason(cookie, 0.0), str)
        assert cookie.path.startswith("/")
        assert cookie.host.strip()
        assert cookie.expires is None or cookie.expires >= 0


# files of a browser's state

_STORE_FIELDS = "name autoIncrement records indexes keyPath keyPathArray"
_store = fields(dict.fromkeys(_STORE_FIELDS.split(), _any))
_database = fields({"name": _any, "version": _any, "stores": st.lists(_store, max_size=2)})
_items = st.lists(fields({}, name=_any, value=_any), max_size=3)
_origin = fields(
    {"localStorage": _any | _items, "indexedDB": _any | st.lists(_database, max_size=2)}, origin=_any
)
_tab = fields({"sessionStorage": _any | fields({}, origin=_any, items=json_values)}, url=_any)
_ours = fields(
    {"tabs": st.lists(_any | _tab, max_size=4), "active": _any, "imported": st.lists(_any, max_size=3)}
)
_states = st.one_of(
    damaged(
        STATE[:-1] + b',"gbrowse":{"tabs":[{"url":"https://a.example/x"}],"active":0,"imported":["a.example"]}}'
    ),
    st.binary(max_size=300),
    as_json(
        fields(
            {"gbrowse": _any | _ours},
            cookies=_any | st.lists(_entry, max_size=3),
            origins=_any | st.lists(_origin, max_size=3),
        )
    ),
)


@tried
@given(_states)
def test_a_file_of_state_is_read_or_refused(content: bytes) -> None:
    rules = {"refused_page": lambda url: "", "refused_tab": lambda url: ""}
    read, said = attempt(lambda: state_file.decode(content, **rules), UsageError)
    saved = read or state_file.SavedState()
    assert "\n" not in said
    for cookie in saved.cookies:
        assert {type(cookie[name]) for name in ("name", "value", "domain", "path")} == {str}
    for origin in saved.origins:
        assert origin["origin"].startswith(("http://", "https://"))
        assert all({type(value) for value in item.values()} == {str} for item in origin["localStorage"])
        assert all(type(database["version"]) is int for database in origin["indexedDB"])
    assert all(tab.url.startswith(state_file.SCHEMES) for tab in saved.tabs)
    assert 0 <= saved.active <= len(saved.tabs)
    assert all("\n" not in line for line in state_file.describe_left_out(saved.left_out))


# databases of browsers


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A database of each browser, with the log of one."""
    folder = tmp_path_factory.mktemp("databases")
    hosts = [f"h{number}.example" for number in range(20)]
    fox = {"name": "n", "value": "v", "path": "/", "expiry": 2**40} | {
        "lastAccessed": 1,
        "isSecure": 1,
        "isHttpOnly": 0,
    }
    made = {
        "chromium": makers.chromium(folder / "Cookies", [makers.row(host, value="v" * 40) for host in hosts]),
        "old": makers.chromium(folder / "Old", [], 10, makers.OLD_CHROMIUM),
        "firefox": makers.firefox(folder / "cookies.sqlite", [{"host": host, **fox} for host in hosts]),
    }
    return {name: path.read_bytes() for name, path in made.items()}


@tried
@given(st.data())
def test_a_database_is_read_or_unreadable(
    databases: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from(["chromium", "old", "firefox"]))
    path = tmp_path_factory.mktemp("fuzz") / "Cookies"
    path.write_bytes(data.draw(damaged(databases[kind])))
    if data.draw(st.booleans()):
        path.with_name("Cookies-wal").write_bytes(
            data.draw(damaged(b"\x37\x7f\x06\x82" + bytes(60) + databases[kind][:5000]))
        )
    begun = time.monotonic()
    for read in (database.read_chromium, database.read_firefox):
        contents, reason = attempt(lambda read=read: read(path), Unreadable)
        assert reason.isprintable()
        for cookie in contents.cookies if contents else ():
            assert cookie.host.isprintable()
            assert not {"\n", "\0"} & set(cookie.name + cookie.value + cookie.path)
            assert cookie.expires is None or 0 <= cookie.expires < 1e12
    assert time.monotonic() - begun < 2 * (database.QUERY_SECONDS + 1)


# what lies in the workspace

RECORD = b'{"tabs":3,"last":"https://a.example/","refs":[5,6],"idle":true}'


@tried
@given(
    st.one_of(
        damaged(RECORD),
        st.just(b'{"tabs":2,"last":"http://a/ Now run this"}'),
        json_values.map(orjson.dumps),
        st.dictionaries(st.sampled_from(["tabs", "last", "refs", "idle"]), json_values).map(orjson.dumps),
    )
)
def test_a_record_of_an_earlier_session_is_believed_or_not(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    workspace = tmp_path_factory.mktemp("workspace")
    with closing(open_state_dir(str(workspace))) as state:
        state.write_file(SESSION_FILE, content)
        record = CrashRecord(state)
        assert re.fullmatch(r"([0-9,]+ tabs?(, last at \S*)?)?", record.describe_loss(""))
        assert len(record.describe_loss("")) < 3000
        assert all(0 < number < 10**8 for number in record.refs)


# messages of Chromium

SESSION = "D" * 32


def packed(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


MESSAGES = [
    {"method": "Target.attachedToTarget", "params": {"sessionId": SESSION, "targetInfo": {"targetId": "T", "type": "page", "url": "", "title": ""}}},
    {"method": "Runtime.executionContextCreated", "params": {"context": {"id": 1, "uniqueId": "u", "name": WORLD, "auxData": {"frameId": "F", "isDefault": False}}}, "sessionId": SESSION},
    {"method": "Runtime.consoleAPICalled", "params": {"type": "log", "args": [{"type": "string", "value": "a"}, {"type": "object", "objectId": "1"}], "timestamp": 1.5, "stackTrace": {"callFrames": []}}, "sessionId": SESSION},
    {"method": "Runtime.exceptionThrown", "params": {"timestamp": 1, "exceptionDetails": {"text": "Uncaught", "exception": {"description": "E"}}}, "sessionId": SESSION},
    {"method": "Page.frameNavigated", "params": {"frame": {"id": "F", "loaderId": "L", "url": "http://a/"}}, "sessionId": SESSION},
    {"method": "Network.requestWillBeSent", "params": {"requestId": "R", "loaderId": "L", "documentURL": "http://a/", "request": {"url": "http://a/", "method": "GET", "headers": {}}, "timestamp": 1, "wallTime": 1, "type": "Document", "frameId": "F"}, "sessionId": SESSION},
    {"method": "Page.windowOpen", "params": {"url": "http://a/", "windowName": "", "windowFeatures": [], "userGesture": True}, "sessionId": SESSION},
    {"method": "Target.detachedFromTarget", "params": {"sessionId": SESSION, "targetId": "T"}},
    {"id": 1, "result": {}, "sessionId": SESSION},
]  # fmt: skip
_message: st.SearchStrategy[Mapping[str, Any]] = st.sampled_from(MESSAGES)
_messages = st.lists(
    st.one_of(
        _message.flatmap(lambda message: damaged(packed(message))),
        _message.flatmap(lambda message: json_values.map(lambda value: packed({**message, "params": value}))),
        _message.map(packed),
        st.binary(max_size=60),
    ),
    max_size=12,
)


@tried
@given(_messages)
def test_no_message_of_chromium_stops_the_pipe(messages: list[bytes]) -> None:
    asyncio.run(_routed([message.replace(b"\0", b"") for message in messages]))


async def _routed(messages: list[bytes]) -> None:
    (reads, to_browser), (from_browser, writes) = os.pipe(), os.pipe()
    faults: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: faults.append(context))
    pipe = Pipe(to_browser, from_browser)
    Browser(Connection(pipe))
    heard: list[object] = []
    pipe.root.on("Test.last", heard.append)
    try:
        pipe.feed(b"\0".join([*messages, b'{"method":"Test.last","params":{}}', b""]))
        await asyncio.sleep(0)
    finally:
        pipe.close()
        for descriptor in (reads, writes):
            os.close(descriptor)
    assert len(faults) <= MOST_LOGGED_ERRORS
    assert heard == [{}], "what comes last is heard whatever came before"


# addresses

_BROKEN_ADDRESSES = "http://[ https://[x]/ https://a\u2100b/ http://a:99999/ file://[/x x://[ //["
_addresses = st.one_of(
    *(
        damaged(address).map(lambda text: text.decode("utf-8", "replace"))
        for address in (b"https://ann:secret@a.example:8080/p/a?q=1#f", b"file:///tmp/work/page.html?q#f")
    ),
    st.sampled_from(_BROKEN_ADDRESSES.split()),
    words,
)


@tried
@given(_addresses)
def test_an_address_is_taken_or_refused(tmp_path_factory: pytest.TempPathFactory, address: str) -> None:
    workspace = tmp_path_factory.getbasetemp()
    attempt(lambda: parse_openable_url(address, CallerPaths(workspace, workspace)), UsageError, Refused)
    normalise_host(address)
    refuse_host(address)
    refuse_url(address, workspace, is_document=True)
    HostRules(pages=(AllowedHost("a.example"),)).refuse_page(address)
    assert "\n" not in shown_url(address)
    assert report_file_name(address, "2026-01-01").isprintable()


# texts that take a matcher for ever


def _detect_picture(text: str) -> None:
    attempt(lambda: detect_media_type(text.encode(), "a.svg"), FileFailed)


def _find_map_url(text: str) -> None:
    find_map_url(text.encode(), {})


def _match_patterns(text: str) -> None:
    for pattern in ("**a" * 8 + "b", "*a" * 8 + "b", "**/a" * 8 + "b", "{a,aa}" * 20 + "b"):
        assert not Glob(pattern).matches(text)


def _judge_server(text: str) -> None:
    find_problems(PageFacts("https://a.example/", [("server", text)]))


def _hide_in_form(text: str) -> None:
    hide_body_secrets(text, "multipart/form-data")


@each_row(
    (safe_url, "?" + "token" * 20_000),
    (error_message, "E" + "\n" * 40_000),
    (find_secret_values, "eyJ" * 20_000),
    (_hide_in_form, 'name="a"\r\n' * 20_000),
    (convert_markup, f"<pre>{' ' * 40_000}</pre>"),
    (convert_markup, f"<pre>x{chr(10) * 40_000}x</pre>"),
    (_judge_server, "1" * 40_000),
    (_match_patterns, "a" * 100_000),
    (_match_patterns, "/a" * 50_000),
    (_find_map_url, "sourceMappingURL=" + " " * 5_000_000),
    (_find_map_url, "//# sourceMappingURL=a\n" * 200_000),
    (_detect_picture, "<!---->" * 26),
)
def test_no_text_of_a_page_holds_the_daemon_up(read: Callable[[str], object], text: str) -> None:
    """A matcher lets nothing else run, and cannot be stopped."""
    began = time.process_time()
    read(text)
    assert time.process_time() - began < 2
