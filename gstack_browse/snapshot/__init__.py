"""Snapshots as data and text: tree, filters, folding, rendering, comparison, annotated pictures.

Nothing here talks to a browser.
"""
