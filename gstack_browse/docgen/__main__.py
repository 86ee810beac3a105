"""`python -m gstack_browse.docgen --write | --check`: bring the generated documents up to date, or say which are not."""

import argparse
import sys
from pathlib import Path

from gstack_browse.docgen.documents import documents


def main() -> int:
    """Exit 1 from `--check` when a document differs from what would be written."""
    parser = argparse.ArgumentParser(prog="python -m gstack_browse.docgen", description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write what is out of date")
    mode.add_argument("--check", action="store_true", help="only say what is out of date")
    write: bool = parser.parse_args().write
    root = Path(__file__).parents[2]
    stale = [
        (path, text)
        for path, text in documents(root).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        sys.stderr.write(f"{path.relative_to(root)}: {'written' if write else 'out of date'}\n")
    if stale and not write:
        sys.stderr.write("Run: python -m gstack_browse.docgen --write\n")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main())
