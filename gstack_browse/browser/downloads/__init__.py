"""Downloads: follow Chromium's events, keep the files, list them."""
