"""Act on a page as a person does, and verify the result.

locate (the target's element) ─► readiness (can it work?) ─► reach (where the pointer hits it)
  ─► input (keys and presses, verified) ─► pointer, text, lists, upload (clicks, values, choices, files)
navigate and waiting: load pages, wait for conditions
"""
