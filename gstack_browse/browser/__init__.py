"""Everything that speaks Chromium's protocol: launch, contexts, tabs, requests, actions, reading."""
