"""Everything that is done to text between a handler and the wire. Pure."""
