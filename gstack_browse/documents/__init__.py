"""Read documents that are no page in a tab: PDF files, articles of web pages, source maps."""
