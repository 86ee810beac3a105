"""Delete a session of a Selenium Grid when the daemon closes this process's standard input, or dies.

`grid_release.py` reads one line of JSON (`url`, `headers`, `ca_cert`), then waits for the end of standard input. It is a process of its
own, since a killed daemon cannot delete the session. Run by `python -I -S`.
"""

import json
import sys

TRIES = 3
SECONDS = 10


def main() -> None:
    """Delete a Grid session once standard input ends. Its first line is JSON: {url, headers, ca_cert}."""
    session = json.loads(sys.stdin.readline())
    sys.stdin.read()
    import ssl  # imported late, to cost no memory during the wait
    import urllib.request

    trust = ssl.create_default_context()
    if session["ca_cert"]:
        trust.load_verify_locations(session["ca_cert"])

    for _ in range(TRIES):
        request = urllib.request.Request(session["url"], headers=session["headers"], method="DELETE")  # noqa: S310 - as `grid` made it
        try:
            with urllib.request.urlopen(request, timeout=SECONDS, context=trust):  # noqa: S310
                return
        except urllib.error.HTTPError:
            return  # the Grid has closed it already
        except OSError:
            continue


if __name__ == "__main__":
    main()
