"""Playwright, attached to the daemon's browser in another process.

`page` finds the active tab's page; `script` runs the Python script of `gbrowse run`, as `python -m gstack_browse.client.attached`.
Both need only what `gbrowse attach --once --json` prints. Playwright's driver ends with the process; the browser stays.
"""
