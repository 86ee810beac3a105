"""Gives a session of a Selenium Grid back when its daemon lets go of it, however that ends.

`grid_release.py`, with one line of JSON on standard input (`url`, `headers`, `ca_cert`). When that closes the session is deleted. A process of its
own, since a daemon that is killed can do nothing more. Run by `python -I -S`.
"""

import json
import sys

TRIES = 3
SECONDS = 10


def main() -> None:
    """Wait for the end of standard input."""
    told = json.loads(sys.stdin.readline())
    sys.stdin.read()
    import ssl  # not while it waits
    import urllib.request

    trust = ssl.create_default_context()
    if told["ca_cert"]:
        trust.load_verify_locations(told["ca_cert"])

    for _ in range(TRIES):
        request = urllib.request.Request(told["url"], headers=told["headers"], method="DELETE")  # noqa: S310 - as `grid` made it
        try:
            with urllib.request.urlopen(request, timeout=SECONDS, context=trust):  # noqa: S310
                return
        except urllib.error.HTTPError:
            return  # it is over already
        except OSError:
            continue


if __name__ == "__main__":
    main()
