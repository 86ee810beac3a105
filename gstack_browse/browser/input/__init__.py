"""Act on a page: find elements, click, type, choose, drag, upload, navigate, wait."""
