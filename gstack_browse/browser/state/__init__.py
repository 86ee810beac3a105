"""The state of a context as values, for files and for the next browser."""
