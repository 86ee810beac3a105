"""Handlers that are called often carry their signature."""

import inspect

from gstack_browse.browser.cdp.handlers import cache_signature


class Listener:
    @cache_signature
    def handle_event(self, event: str) -> str:
        return event


def test_cache_signature_returns_the_function_with_its_signature_cached() -> None:
    def handle_event(event: str) -> str:
        return event

    assert cache_signature(handle_event) is handle_event
    assert inspect.signature(handle_event) is inspect.signature(handle_event)
    assert list(inspect.signature(handle_event).parameters) == ["event"]


def test_a_method_is_still_one() -> None:
    assert Listener().handle_event("x") == "x"
    assert list(inspect.signature(Listener().handle_event).parameters) == ["event"]
