"""Pages of ours that a person opens in a browser of theirs: a server on 127.0.0.1 for one visitor."""
