"""What pages may be shown and may ask for: rules, without a browser. `browser/tabs/guard.py` enforces them."""
