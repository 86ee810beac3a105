from gstack_browse.network.shaping.rules import is_socket_pattern, to_url_pattern


def test_a_typed_pattern() -> None:
    for typed, pattern in [
        ("ws://localhost:3000/**", "ws://localhost:3000/*"),
        ("wss://a.example/live", "wss://a.example/live"),
        ("ws://a.example", "ws://a.example/*"),
        ("GET WS://**/chat/*", "ws://*:*/chat/*"),
        ("ws://*:8080/a+b(c)", "ws://*:8080/a\\+b\\(c\\)"),
        ("ws://**", "ws://*:*/*"),
        ("ws://a/{b,c}", None),
        ("ws://a/b?c=d", None),
        ("POST ws://a/b", None),
        ("ws://", None),
    ]:
        assert (to_url_pattern(typed), is_socket_pattern(typed)) == (pattern, True)
    assert not any(map(is_socket_pattern, ("**/ws:", "/ws", "http://ws/", "POST **")))
