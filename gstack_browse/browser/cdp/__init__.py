"""Chromium's protocol: messages, sessions, targets, and the pipe they go through."""
