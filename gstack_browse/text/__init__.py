"""Processing of text between a command's handler and its reply. Pure."""
