"""Entry point: `python -m gstack_browse.daemon <workspace>`, started by the client (see `starter`)."""

import sys

from gstack_browse.daemon.starter import main

main(sys.argv)
