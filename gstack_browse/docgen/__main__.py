"""`python -m gstack_browse.docgen --write | --check | --watch`: bring the generated documents up to date, or say which are not."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from gstack_browse.docgen.documents import documents
from gstack_browse.docgen.templates import TemplateError

LOOK_SECONDS = 0.3
"""How often `--watch` looks for changes."""


def main() -> int:
    """Exit 1 from `--check` when a document differs from what would be written, 2 when a template cannot be filled in."""
    parser = argparse.ArgumentParser(prog="python -m gstack_browse.docgen", description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write what is out of date")
    mode.add_argument("--check", action="store_true", help="only say what is out of date")
    mode.add_argument(
        "--watch", action="store_true", help="write again whenever a template or the package changes"
    )
    chosen = parser.parse_args()
    root = Path(__file__).parents[2]
    if chosen.watch:
        return watch(root)
    try:
        texts = documents(root)
    except TemplateError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return write(root, texts) if chosen.write else check(root, texts)


def write(root: Path, texts: dict[Path, str]) -> int:
    """Write what differs, and name it."""
    for path in _stale(texts):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path], encoding="utf-8")
        sys.stdout.write(f"WRITTEN {path.relative_to(root)}\n")
    return 0


def check(root: Path, texts: dict[Path, str]) -> int:
    """Say of each document whether it is what would be written."""
    stale = _stale(texts)
    for path in texts:
        sys.stdout.write(f"{'STALE' if path in stale else 'FRESH'} {path.relative_to(root)}\n")
    if stale:
        sys.stderr.write("Run: python -m gstack_browse.docgen --write\n")
    return 1 if stale else 0


def watch(root: Path) -> int:
    """Write, and again after each change, in a process that loads the changed code; until Ctrl-C."""
    seen: dict[Path, int] = {}
    try:
        while True:
            if (now := _times(root)) != seen:
                subprocess.run([sys.executable, "-m", "gstack_browse.docgen", "--write"], cwd=root, check=False)
                seen = now
            time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        return 0


def _stale(texts: dict[Path, str]) -> list[Path]:
    return [
        path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def _times(root: Path) -> dict[Path, int]:
    package = root / "gstack_browse"
    sources = [*package.rglob("*.py"), *package.rglob("*.tmpl"), *(package / "skills/shared").glob("*.md")]
    return {path: path.stat().st_mtime_ns for path in sources}


if __name__ == "__main__":
    sys.exit(main())
