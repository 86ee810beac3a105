"""Secrets that a person has given us to fill into pages: where they are kept, for which origins, and codes made of them."""
