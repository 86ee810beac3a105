"""Applications that tasks are done on: each with a database that is made anew, from a seed, for every case."""
