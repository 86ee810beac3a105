"""The design of a page as values: what was seen, as tokens, as a document, and compared. Pure; no word of a page gets in here."""
