"""Measure how long commands take as the shell sees them: `bin/bench`.

The peers run beside, on the same pages. Asserts nothing.
"""
