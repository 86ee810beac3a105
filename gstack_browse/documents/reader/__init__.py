"""Read HTML as a server sends it, without a browser. Pure.

`markup_tree` makes the tree, `main_content` finds the main content, `markdown` writes it.
"""
