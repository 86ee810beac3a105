"""Cookies of the user's own browsers: parsing rows and files, decrypting values, matching sites.

The modules here are pure. `stores` finds the browsers, reads their databases and requests their keys.
"""
