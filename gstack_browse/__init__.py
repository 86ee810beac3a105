"""gbrowse: a Chromium that stays open, driven by one-line commands over a Unix socket."""

__version__ = "0.1.0"
