"""Chromium's protocol: messages, sessions, targets, and the pipe they go through."""

WORLD = "gbrowse"
"""Our code in pages runs in an isolated world of this name: see `engine.world`. A daemon needs it before everything else."""
