"""Click, hover, drag, scroll and check, and report what has changed."""
