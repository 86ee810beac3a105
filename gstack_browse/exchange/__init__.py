"""What one request and its answer were, as Chromium told it: which are meant, their facts, times, and forms. Pure."""
