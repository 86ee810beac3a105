"""Write the generated documents, or check that they are up to date.

Usage: `python -m gstack_browse.agent.docgen --write | --check`.
"""

import argparse
import sys
from pathlib import Path

from gstack_browse.agent.docgen.documents import generate_documents
from gstack_browse.agent.docgen.templates import TemplateError


def main() -> int:
    """Write or check the generated documents.

    Return the exit code: 1 if one is out of date (`--check`), 2 for a malformed template.
    """
    parser = argparse.ArgumentParser(prog="python -m gstack_browse.agent.docgen", description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write what is out of date")
    mode.add_argument("--check", action="store_true", help="only say what is out of date")
    chosen = parser.parse_args()
    root = Path(__file__).parents[3]
    try:
        texts = generate_documents(root)
    except TemplateError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    stale = [
        path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if chosen.write:
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path], encoding="utf-8")
            sys.stdout.write(f"WRITTEN {path.relative_to(root)}\n")
        return 0
    for path in texts:
        sys.stdout.write(f"{'STALE' if path in stale else 'FRESH'} {path.relative_to(root)}\n")
    if stale:
        sys.stderr.write("Run: python -m gstack_browse.agent.docgen --write\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
