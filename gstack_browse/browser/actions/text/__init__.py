"""Write into fields, sliders and editors, focus and select text."""
