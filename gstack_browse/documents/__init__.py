"""Documents that are no page in a tab: PDF files, articles of web pages, source maps and traces are read, films are written."""
