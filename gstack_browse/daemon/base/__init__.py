"""What several parts of the daemon share: the log of errors, journals, memory, checks of the caller's policy."""
