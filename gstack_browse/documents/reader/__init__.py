"""HTML as a server sends it, read without a browser: tree (`markup_tree`), main content (`main_content`), Markdown (`markdown`). Pure."""
