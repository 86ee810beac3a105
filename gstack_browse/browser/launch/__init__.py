"""Find, start and end Chromium, or connect to one that others have started."""
