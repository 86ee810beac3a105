"""Choose options of `<select>` (choosing), ARIA widgets (widgets), other dropdowns (plain_lists)."""
