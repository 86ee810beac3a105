"""Fetch documents over HTTP without a tab, under the same rules as pages: links to check, pages to read."""
