"""Handlers that are called often carry their signature."""

import inspect

from gstack_browse.browser.cdp.handlers import cache_signature


class Listener:
    @cache_signature
    def hear(self, event: str) -> str:
        return event


def test_it_is_the_same_function_and_its_signature_is_not_worked_out_again() -> None:
    def hear(event: str) -> str:
        return event

    assert cache_signature(hear) is hear
    assert inspect.signature(hear) is inspect.signature(hear)
    assert list(inspect.signature(hear).parameters) == ["event"]


def test_a_method_is_still_one() -> None:
    assert Listener().hear("x") == "x"
    assert list(inspect.signature(Listener().hear).parameters) == ["event"]
