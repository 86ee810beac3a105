"""A page's design as values: collected facts, W3C design tokens, a document, and differences. Pure.

No sentence of a page gets in here: every text must have the form of what it stands for.
"""
