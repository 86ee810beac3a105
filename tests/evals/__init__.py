"""Measure whether agents get their work done with gbrowse.

And whether a change made that better or worse: docs/evals.md.
"""
