"""The I/O of cookies: locations of browsers, their databases and keys.

What rows mean is decided in `cookies`.
"""
