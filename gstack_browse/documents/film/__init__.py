"""Films of pages: from the file of a take to a film and a contact sheet.

    browser/context/filming ─► take ─► timeline ─► drawing ─► encoding   the film
    (pictures, presses)        a file                     └─► sheet      the contact sheet

`take` is written in the daemon while a page is filmed. All below it runs in `process`, a program of its own that `production` starts.
"""
