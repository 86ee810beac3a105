"""Whatever JSON a client sends, the relay forwards it, answers it, or calls it malformed."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.browser.relay import client as rules
from gstack_browse.browser.relay.client import AttachedClient, ClientContext, MalformedMessage
from tests.unit.hostile import json_values

CONTEXT = "C" * 32

methods = st.sampled_from(
    [
        *sorted(rules._TAKES_CONTEXT | rules.NAMES_TARGET | rules._OPENS_SESSIONS),
        rules.MAKE_CONTEXT,
        "Browser.getVersion",
    ]
)
requests = st.fixed_dictionaries(
    {"id": st.integers(0, 1 << 31) | json_values, "method": methods | st.text(max_size=10)},
    optional={
        "params": json_values
        | st.dictionaries(
            st.sampled_from(["browserContextId", "targetId", "sessionId", "flatten", "url"]), json_values
        ),
        "sessionId": json_values,
    },
)


class Nowhere:
    """A channel that answers nothing."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []

    async def open_session(self, receive: object, ended: object) -> str:
        return "R" * 32

    def send(self, session_id: str, method: str, params: dict[str, Any], answered: object) -> int:
        json.dumps(params)
        self.sent.append((method, params))
        return len(self.sent)


@given(st.one_of(requests, json_values))
async def test_any_json_is_forwarded_answered_or_called_malformed(message: Any) -> None:
    channel, answers = Nowhere(), []
    place = ClientContext("x", CONTEXT, channel, "", lambda: False, print, print)  # type: ignore[arg-type]
    client = AttachedClient(place, answers.append, print)
    await client.open()
    try:
        client.handle_request(json.dumps(message))
    except MalformedMessage:
        assert not channel.sent
        assert not answers
        return
    assert len(channel.sent) + len(answers) == 1
    assert all(json.loads(each)["id"] == message["id"] for each in answers)
    for method, params in channel.sent:
        if method in rules._TAKES_CONTEXT:
            assert params["browserContextId"] == CONTEXT
