"""Send keys and the mouse's presses to a page, verify that it heard them, and read fields back."""
