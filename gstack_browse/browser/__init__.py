"""Everything that speaks Chromium's protocol: launch, sessions, tabs, requests, actions, reading."""
