"""The I/O of cookies: where browsers keep them, their databases, their keys. Decides nothing about their meaning."""
