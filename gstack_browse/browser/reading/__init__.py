"""Read a page: text, markup, structure, pictures, results of scripts, storage. Read documents over HTTP."""
