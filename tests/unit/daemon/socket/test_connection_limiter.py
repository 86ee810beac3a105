"""Test which clients get a place, and which idle one is disconnected; no waiting client is forgotten."""

import random

from gstack_browse.daemon.socket.connection_limiter import AT_ONCE, RESERVED_FOR_CONTROL, ConnectionLimiter


def never() -> bool:
    return False


def test_client_idle_longest_is_disconnected_for_a_new_one() -> None:
    places: ConnectionLimiter[str] = ConnectionLimiter(most_open=3)
    assert [places.on_connect(name) for name in ("a", "b", "c")] == [None, None, None]
    assert places.on_request("a", never)
    assert places.on_connect("d") == "b"
    places.on_close("b")
    places.on_idle("a")
    assert places.on_connect("e") == "c", "a has asked since"
    full: ConnectionLimiter[int] = ConnectionLimiter(most_open=AT_ONCE + 2)
    for guest in range(AT_ONCE + 2):
        assert full.on_connect(guest) is None
        full.on_request(guest, never)
    assert full.on_connect(-1) == AT_ONCE + 1, "all are busy: the last one that waits"


def test_commands_of_control_have_places_of_their_own_and_free_none_for_others() -> None:
    places: ConnectionLimiter[int] = ConnectionLimiter()
    assert all(places.on_request(guest, never) for guest in range(AT_ONCE))
    assert not places.on_request(1000, never)
    assert all(places.on_request(2000 + guest, lambda: True) for guest in range(RESERVED_FOR_CONTROL))
    assert not places.on_request(3000, lambda: True), "theirs are limited, too"
    assert places.on_idle(2000) is None
    freed = [places.on_idle(guest) for guest in range(RESERVED_FOR_CONTROL)]
    assert freed == [None] * (RESERVED_FOR_CONTROL - 1) + [1000]


def test_at_random_nobody_waits_while_there_is_a_place() -> None:
    for seed in range(20):
        dice = random.Random(seed)
        places: ConnectionLimiter[int] = ConnectionLimiter()
        served: set[int] = set()
        waiting: list[int] = []
        for guest in range(3 * AT_ONCE):
            places.on_connect(guest)
            (served.add if places.on_request(guest, never) else waiting.append)(guest)  # type: ignore[func-returns-value]
            if dice.random() < 0.4:
                leaver = dice.choice([*served, *waiting])
                is_idle = leaver in served and dice.random() < 0.5
                follower = (places.on_idle if is_idle else places.on_close)(leaver)
                served.discard(leaver)
                if leaver in waiting:
                    waiting.remove(leaver)
                elif waiting:
                    assert follower == waiting.pop(0), "in the order in which they came"
                    served.add(follower)
            assert len(served) == AT_ONCE or not waiting
