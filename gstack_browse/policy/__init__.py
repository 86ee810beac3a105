"""The rules for what pages may show and request. `browser/tabs/guard.py` enforces them."""
