"""Entry point: `python -m gstack_browse.daemon <workspace>`, started by the client (see `starter`)."""

import sys

from gstack_browse.daemon.process.boot_image import IMAGE

IMAGE.install()

from gstack_browse.daemon.process.starter import main  # noqa: E402 - it is imported by the image

main(sys.argv)
