"""The session of one agent: a browser context with its tabs, and what is set for all of them."""
