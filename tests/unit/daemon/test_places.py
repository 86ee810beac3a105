"""Test which clients get a place, and which idle one is disconnected; no waiting client is forgotten."""

import random

from gstack_browse.client import silence
from gstack_browse.daemon.places import AT_ONCE, OF_CONTROL, ClientPlaces
from gstack_browse.protocol import HEARTBEAT_SECONDS, PLACE_SECONDS


def never() -> bool:
    return False


def test_client_idle_longest_is_disconnected_for_a_new_one() -> None:
    places: ClientPlaces[str] = ClientPlaces(most_open=3)
    assert [places.came(name) for name in ("a", "b", "c")] == [None, None, None]
    assert places.asks("a", never)
    assert places.came("d") == "b"
    places.went("b")
    places.rests("a")
    assert places.came("e") == "c", "a has asked since"


def test_last_waiting_client_is_disconnected_where_all_are_busy() -> None:
    places: ClientPlaces[int] = ClientPlaces(most_open=AT_ONCE + 2)
    for guest in range(AT_ONCE + 2):
        assert places.came(guest) is None
        places.asks(guest, never)
    assert places.came(-1) == AT_ONCE + 1


def test_commands_of_control_have_places_of_their_own_and_free_none_for_others() -> None:
    places: ClientPlaces[int] = ClientPlaces()
    assert all(places.asks(guest, never) for guest in range(AT_ONCE))
    assert not places.asks(1000, never)
    assert all(places.asks(2000 + guest, lambda: True) for guest in range(OF_CONTROL))
    assert not places.asks(3000, lambda: True), "theirs are limited, too"
    assert places.rests(2000) is None
    assert [places.rests(guest) for guest in range(OF_CONTROL)] == [None] * (OF_CONTROL - 1) + [1000]


def test_at_random_nobody_waits_while_there_is_a_place() -> None:
    for seed in range(20):
        dice = random.Random(seed)
        places: ClientPlaces[int] = ClientPlaces()
        served: set[int] = set()
        waiting: list[int] = []
        for guest in range(3 * AT_ONCE):
            places.came(guest)
            (served.add if places.asks(guest, never) else waiting.append)(guest)  # type: ignore[func-returns-value]
            if dice.random() < 0.4:
                leaver = dice.choice([*served, *waiting])
                follower = (places.rests if leaver in served and dice.random() < 0.5 else places.went)(leaver)
                served.discard(leaver)
                if leaver in waiting:
                    waiting.remove(leaver)
                elif waiting:
                    assert follower == waiting.pop(0), "in the order in which they came"
                    served.add(follower)
            assert len(served) == AT_ONCE or not waiting


def test_the_daemon_s_patience_ends_well_before_the_client_s() -> None:
    patiences = (silence.ANSWER_SECONDS, silence.CONTROL_SECONDS)
    assert min(patiences) > 2 * HEARTBEAT_SECONDS, "who waits for a place shows signs of life"
    assert silence.ANSWER_SECONDS - PLACE_SECONDS > 1
