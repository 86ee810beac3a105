"""Commands on requests."""
