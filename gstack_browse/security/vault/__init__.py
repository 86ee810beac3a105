"""Secrets that a person stores for filling into pages: storage, permitted origins, one-time codes."""
