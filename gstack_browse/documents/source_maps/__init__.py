"""Source maps: positions in files that a build has made, as positions in the files that people wrote. Pure."""
