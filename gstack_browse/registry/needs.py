"""What a command may need before it can run, told by the type of its handler's first parameter.

The classes here are only markers: `browser` and `commands` derive the real ones from them, so that the
registry can tell what to prepare without importing either.
"""


class Need:
    """Base of everything a handler can ask for as its first parameter."""


class PageNeed(Need):
    """One tab's page. Commands queue in its lane; Chromium is started for it."""


class BrowserNeed(Need):
    """The browser as a whole: tabs, context. Chromium is started for it. Does not queue on a tab."""


class DaemonNeed(Need):
    """The daemon itself. Starts no browser."""


class LocalNeed(Need):
    """The process of the caller: its directory and its environment. The command runs there, without daemon and browser."""
