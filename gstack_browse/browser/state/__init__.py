"""The state of a session as values: cookies, storage, tabs, emulation. Kept in files, passed to the next browser."""
