"""Name the errors of requests to the browser.

Our sessions and Playwright's driver raise them: they are Playwright's own classes, so that one `except` catches both. No other
module knows that. They come from a private module, since
`playwright.async_api` takes two thirds of the time in which the daemon's own code is imported.
"""

from playwright._impl._errors import Error as ProtocolError
from playwright._impl._errors import TimeoutError as ProtocolTimeout

__all__ = ["ProtocolError", "ProtocolTimeout"]
