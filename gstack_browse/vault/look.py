"""`python -m gstack_browse.vault.look`: whether there is a keyring. Prints `answers`, `none`, or `locked<TAB>what<TAB>hint`."""

import sys

from gstack_browse.errors import SetupFailed
from gstack_browse.vault.keyring import Keyring, NoKeyring


def look() -> str:
    """Print whether the keyring answers, is locked, or is not there."""
    try:
        Keyring("doctor").check()
    except NoKeyring:
        return "none"
    except SetupFailed as error:
        return f"locked\t{error.message}\t{error.hint}"
    return "answers"


if __name__ == "__main__":
    sys.stdout.write(look() + "\n")
