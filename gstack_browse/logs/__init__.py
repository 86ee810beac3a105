"""What pages say while they run: a ring of entries, and how an entry reads. Pure."""
