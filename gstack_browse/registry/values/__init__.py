"""Types of arguments: parsers of words as typed, and the errors that they raise."""
