"""`bin/bench`: how long commands take as the shell sees them, beside the peers on the same pages. Asserts nothing."""
