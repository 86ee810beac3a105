"""Read pages (text, markup, pictures, scripts' results, storage), and documents over HTTP."""
