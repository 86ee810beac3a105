"""HTTP exchanges (a request and its response) as values: facts, timing, and output formats. Pure."""
