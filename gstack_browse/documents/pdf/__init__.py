"""Make pages of PDF documents.

`process` reads them in a process of its own, `layout` orders their words and makes the page.
"""
