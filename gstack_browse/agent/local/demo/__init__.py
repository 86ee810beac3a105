"""`gbrowse demo`: `command` walks through `page.html`, which needs no network."""
