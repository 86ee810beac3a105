"""Commands that read, measure and picture a page."""
