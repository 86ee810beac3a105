"""Check for a keyring, for `doctor`.

`python -m gstack_browse.security.vault.keyring_check` prints one line: `answers`, `none`, or `locked<TAB>message<TAB>hint`.
"""

import sys

from gstack_browse.errors import SetupFailed
from gstack_browse.security.vault.store import Keyring, NoKeyring


def check_keyring() -> str:
    """Return the line that says whether the keyring answers, is locked, or does not exist."""
    try:
        Keyring("doctor").check_writable()
    except NoKeyring:
        return "none"
    except SetupFailed as error:
        return f"locked\t{error.message}\t{error.hint}"
    return "answers"


if __name__ == "__main__":
    sys.stdout.write(check_keyring() + "\n")
