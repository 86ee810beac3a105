"""Read PDF files, articles of web pages, source maps and traces; write films."""
