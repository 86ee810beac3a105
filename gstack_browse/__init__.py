"""gbrowse: a Chromium that stays open, driven by one-line commands over a Unix socket."""

__version__ = "1.0.0"
"""The only place: the wheel, skills, the daemon and the manual page read it."""
