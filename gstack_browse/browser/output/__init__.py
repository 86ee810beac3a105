"""Output of a page: text, structure, screenshots, results of scripts, cookies, expectations."""
