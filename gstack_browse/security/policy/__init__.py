"""The rules for what pages may show and request. `browser/network/guard.py` enforces them."""
