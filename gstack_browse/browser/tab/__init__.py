"""One tab: its page, its queue of commands, and what a reply reports of it."""
