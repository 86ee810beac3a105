"""PDF documents: read in a process of their own (`process`), ordered (`layout`), and made a page (`markup`)."""
