"""Commands on the session: tabs, cookies, state, downloads, dialogs, contexts, secrets."""
