"""Commands on flows: save what a session did, run it again, convert it."""
