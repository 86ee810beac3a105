"""Requests of pages: judge, shape, log and record them."""
