"""Needs of commands, declared by the type of a handler's first parameter.

The classes here are only markers: `browser` and `commands` derive the real ones from them, so that the
registry can tell what to prepare without importing either.
"""


class Need:
    """Base of everything a handler can ask for as its first parameter."""


class PageNeed(Need):
    """Need of a tab's page. Commands queue for the tab; Chromium is started for them."""


class BrowserNeed(Need):
    """Need of the browser as a whole (tabs, context). Chromium is started; does not queue for a tab."""


class DaemonNeed(Need):
    """Need of the daemon itself. Starts no browser."""


class LocalNeed(Need):
    """Need of the caller's process only. The command runs there, without daemon and browser."""
