"""Finding and starting Chromium and Playwright's driver, and the directories that they write to."""
