"""Fetch documents over HTTP without a tab, under the rules for pages: links to check, pages to read."""
