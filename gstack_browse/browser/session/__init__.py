"""The session of one agent: its browser context with tabs, logs, downloads, and what it asked for all of them."""
