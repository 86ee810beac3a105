"""Cookies of the user's own browsers: parse rows and files, decrypt values, match sites.

The modules here are pure. `stores` finds the browsers, reads their databases and requests their keys.
"""
