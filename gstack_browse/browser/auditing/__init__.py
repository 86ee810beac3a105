"""Measure and audit a page: accessibility, styles, links, memory, load times, coverage."""
