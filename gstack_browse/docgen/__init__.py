"""Generated documents: the command reference, and the tables in SKILL.md. Written from the declarations, never by hand."""
