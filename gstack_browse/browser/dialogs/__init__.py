"""Dialogs, file choosers, permissions and passkeys: all that a page would ask a person."""
