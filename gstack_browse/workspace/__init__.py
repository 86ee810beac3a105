"""The workspace: where `.gstack` is, its files and state, configuration, files opened safely.

`directory` and `errors` are all that the thin client imports on its way: its start-up is the user's waiting time.
"""
