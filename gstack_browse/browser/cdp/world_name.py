"""The name of our isolated world. Imports nothing: a daemon needs it before everything else."""

WORLD = "gbrowse"
"""Our code in pages runs in an isolated world of this name: see `engine.world`."""
