"""How each tool does what a solver asks: one adapter per tool, in the tool's own idiom."""
