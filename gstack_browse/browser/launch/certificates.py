"""Make a certificate store for one browser, with the authorities of `BROWSE_CA_CERT`.

Chromium on Linux reads a user's certificates from an NSS database below `XDG_DATA_HOME`. NSS's own `certutil` makes that database.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from gstack_browse.errors import SetupFailed

CERTUTIL_SECONDS = 20
MOST_BYTES = 5_000_000
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.S)
FONTS = "fonts"


def make_trust_store(file: Path, scratch: Path) -> dict[str, str]:
    """Make a certificate store in `scratch`. Return the environment variables with which Chromium uses it.

    Args:
        file: a PEM file of certificate authorities
        scratch: the browser's own directory

    The user's fonts, which Chromium looks for below the same variable, are linked into the new place. Blocks. Raises SetupFailed.
    """
    certificates = _read_certificates(file)
    program = shutil.which("certutil")
    if not program:
        raise SetupFailed(
            "BROWSE_CA_CERT needs certutil, which is not here", "apt-get install libnss3-tools; gbrowse stop"
        )
    data = scratch / "data"
    store = data / "pki/nssdb"
    store.mkdir(parents=True, mode=0o700)
    _link_fonts(data)
    _run_certutil([program, "-d", f"sql:{store}", "-N", "--empty-password"], b"")
    for number, certificate in enumerate(certificates):
        _run_certutil(
            [program, "-d", f"sql:{store}", "-A", "-a", "-t", "C,,", "-n", f"ca {number}"], certificate
        )
    return {"XDG_DATA_HOME": str(data)}


def _read_certificates(file: Path) -> list[bytes]:
    """Return the certificates in a PEM file. Raises SetupFailed if there are none."""
    try:
        content = file.read_bytes()[:MOST_BYTES]
    except OSError as error:
        raise SetupFailed(
            f"BROWSE_CA_CERT: {file} cannot be read: {error.strerror}", "Mend that; gbrowse stop"
        ) from None
    if found := _PEM.findall(content):
        return list(found)
    raise SetupFailed(
        f"BROWSE_CA_CERT: {file} holds no certificate in PEM",
        "openssl x509 -inform der -in ca.der -out ca.pem; gbrowse stop",
    )


def _link_fonts(data: Path) -> None:
    """Link the user's fonts into `data`, which Chromium gets as XDG_DATA_HOME in place of the user's."""
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    if os.path.isdir(f"{home}/{FONTS}"):
        os.symlink(f"{home}/{FONTS}", data / FONTS)


def _run_certutil(command: list[str], stdin: bytes) -> None:
    """Run NSS's `certutil` with this standard input. Raises SetupFailed if it fails."""
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=CERTUTIL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupFailed(f"certutil: {error}") from None
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise SetupFailed(
            f"BROWSE_CA_CERT: certutil does not take it: {why[:200]}",
            "Look at it: openssl x509 -noout -text -in <file>; gbrowse stop",
        )
