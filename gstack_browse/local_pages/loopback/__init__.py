"""Local pages for a person's own browser: a server on 127.0.0.1 for one visitor."""
