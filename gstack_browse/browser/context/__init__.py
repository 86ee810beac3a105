"""An open context of an agent: a browser context with its tabs, and the settings for all of them."""
