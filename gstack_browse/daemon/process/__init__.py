"""The daemon's process: how it starts, what it watches, how it exits."""
