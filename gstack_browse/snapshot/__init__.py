"""Snapshots as data and text: tree, filters, folds, text, comparison, pictures. Nothing talks to a browser."""
