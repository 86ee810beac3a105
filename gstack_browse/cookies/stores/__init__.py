"""The I/O of cookies: browsers' locations, databases and keys. `cookies` decides what rows mean."""
