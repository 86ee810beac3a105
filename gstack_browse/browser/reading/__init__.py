"""Read a page: text, markup, structure, pictures, results of scripts, cookies and storage."""
