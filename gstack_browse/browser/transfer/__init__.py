"""Move a session's state to another browser context, browser or file, and back."""
