"""Snapshots as data and text: tree, filters, folds, text, comparison, pictures.

Nothing here talks to a browser.
"""
