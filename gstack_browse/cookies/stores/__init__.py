"""Find browsers on this machine, read their cookie databases, and request their keys."""
