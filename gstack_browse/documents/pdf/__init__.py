"""Read PDF documents, and render them as HTML pages."""
