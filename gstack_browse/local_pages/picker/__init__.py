"""The page on which a person chooses cookies to import. It shows domains and counts, never a value."""
