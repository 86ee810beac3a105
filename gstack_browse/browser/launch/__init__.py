"""Finding, starting and ending Chromium, connecting to one of others, and the directories that it writes to."""
