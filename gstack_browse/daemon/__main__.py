"""Entry point: `python -m gstack_browse.daemon <workspace>`, started by the client (see `main`)."""

import sys

from gstack_browse.daemon.main import main

sys.exit(main(sys.argv))
