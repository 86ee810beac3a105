"""Hand over to a successor: a new daemon takes the browser and the contexts."""
