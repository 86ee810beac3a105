"""Read a browser's password from the macOS Keychain, which asks the user for permission."""

import subprocess

from gstack_browse.cookies.stores.failures import NoKey

DIALOG_SECONDS = 10.0
"""How long the permission dialog may stay open."""

_NOT_FOUND = 44
"""`security`'s exit code for errSecItemNotFound (OSStatus -25300, of which an exit code has only one byte)."""
_DENIED = (128, 51, 36)
"""userCanceledErr (-128), errSecAuthFailed (-25293), errSecInteractionNotAllowed (-25308)."""


def read_password(label: str) -> bytes:
    """Return the password of `<label> Safe Storage`. Blocks while the user is asked. Raises NoKey."""
    try:
        done = subprocess.run(
            ["security", "find-generic-password", "-w", "-s", f"{label} Safe Storage", "-a", label],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DIALOG_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NoKey(
            f"the Keychain's question about {label} was not answered within {DIALOG_SECONDS:.0f} seconds",
            "Run it again and click Allow in the dialog",
        ) from None
    except OSError:
        raise NoKey("the Keychain cannot be asked: there is no 'security' program") from None
    if done.returncode == _NOT_FOUND:
        raise NoKey(f"the Keychain holds no key of {label}", f"Start {label} once, then try again")
    if done.returncode in _DENIED:
        raise NoKey(f"the Keychain refused the key of {label}", "Run it again and click Allow in the dialog")
    if done.returncode or not done.stdout.strip():
        raise NoKey(f"the Keychain gave no key of {label}")
    return done.stdout.rstrip(b"\n")
