"""The state of a session as values, for files and for the next browser."""
