"""Types of arguments: how a word becomes a value, and what is said if it cannot."""
