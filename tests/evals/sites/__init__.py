"""Serve the applications that tasks are done on.

Each has a database that is made anew, from a seed, for every case.
"""
