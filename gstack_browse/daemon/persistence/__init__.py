"""Save what is open for the next daemon, and restore it."""
