"""Generated documents: the command reference, and the skills. Made from the declarations and from templates."""
