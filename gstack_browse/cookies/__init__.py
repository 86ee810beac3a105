"""Cookies of the user's own browsers: what a row means, how a value is decrypted, which belong to a site.

The modules here are pure. `stores` finds the browsers, reads their databases and asks for their keys.
"""
