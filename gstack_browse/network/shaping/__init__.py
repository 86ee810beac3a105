"""Routing rules, recorded responses and throttling for requests. Pure: no browser, no clock."""
