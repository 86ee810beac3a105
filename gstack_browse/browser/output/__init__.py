"""What is read from a page: text, structure, screenshots, results of scripts, cookies."""
