"""Tell equal lines of a snapshot apart: labels, nearby text, records."""
