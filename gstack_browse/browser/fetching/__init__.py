"""Fetch documents over HTTP without a tab, under the same rules as pages.

They are links to check and pages to read.
"""
