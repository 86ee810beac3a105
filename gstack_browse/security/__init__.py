"""Policies for pages and files, secrets, client certificates."""
