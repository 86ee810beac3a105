"""Choose from lists: of HTML, of ARIA, and of neither."""
