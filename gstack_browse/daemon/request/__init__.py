"""From a request line to a reply: bind the command, run it under a deadline, clean its text."""
