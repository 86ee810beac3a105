"""Hold one tab: its page, its queue of commands, and its effects for the reply."""
