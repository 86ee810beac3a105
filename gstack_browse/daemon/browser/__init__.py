"""The daemon's browser: start it, connect it, let programs attach, guard it against floods."""
