"""The tabs of a browser, what happens in them, and their way to another browser."""
