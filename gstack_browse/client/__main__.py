"""`python -m gstack_browse.client`: the command, where its faster start is not possible."""

from gstack_browse.client.main import main

main()
