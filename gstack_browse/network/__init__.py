"""Requests as values: exchanges, rules, logs. Pure."""
