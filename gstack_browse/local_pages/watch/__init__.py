"""The page on which a person follows what agents do, and may take over."""
