"""Shared by several parts of the daemon: the log of errors, journals, memory, checks of policy."""
