"""Snapshots as data and text: tree, filters, folding, rendering, diff, annotated pictures. No browser in here."""
