"""Move a context's state to another browser context, browser or file, and back."""
