"""Accept connections on the socket, and read their lines."""
