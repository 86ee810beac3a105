"""Check the machine, the browser's settings and a project: what `doctor`, `setup` and reviews report."""
