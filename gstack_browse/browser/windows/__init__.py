"""Open and close pages: tabs that a command opens, and windows that pages open."""
