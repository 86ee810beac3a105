"""Logs of pages (console, requests, dialogs): rings of entries, and their text. Pure."""
