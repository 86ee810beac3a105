"""Shared by several parts of the daemon: what a start leaves to it, log files, memory."""
