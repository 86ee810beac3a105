"""Generate documents (command reference, skills) and tables of names, from declarations and templates."""
