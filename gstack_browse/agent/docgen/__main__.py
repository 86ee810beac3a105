"""Write the generated documents, or check that they are up to date.

Usage: `python -m gstack_browse.agent.docgen --write | --check | --watch`.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from gstack_browse.agent.docgen.documents import generate_documents
from gstack_browse.agent.docgen.templates import TemplateError

POLL_SECONDS = 0.3
"""How often `--watch` looks for changes."""


def main() -> int:
    """Write or check the generated documents.

    Return the exit code: 1 if one is out of date (`--check`), 2 for a malformed template.
    """
    parser = argparse.ArgumentParser(prog="python -m gstack_browse.agent.docgen", description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write what is out of date")
    mode.add_argument("--check", action="store_true", help="only say what is out of date")
    mode.add_argument(
        "--watch", action="store_true", help="write again whenever a template or the package changes"
    )
    chosen = parser.parse_args()
    root = Path(__file__).parents[3]
    if chosen.watch:
        return watch_sources(root)
    try:
        texts = generate_documents(root)
    except TemplateError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return write_documents(root, texts) if chosen.write else check_documents(root, texts)


def write_documents(root: Path, texts: dict[Path, str]) -> int:
    """Write and name each document that differs from its file (`texts`: path → text). Return exit code 0."""
    for path in _find_stale(texts):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path], encoding="utf-8")
        sys.stdout.write(f"WRITTEN {path.relative_to(root)}\n")
    return 0


def check_documents(root: Path, texts: dict[Path, str]) -> int:
    """Print for each document (`texts`: path → full text) whether its file is up to date.

    Return the exit code: 1 if one is not.
    """
    stale = _find_stale(texts)
    for path in texts:
        sys.stdout.write(f"{'STALE' if path in stale else 'FRESH'} {path.relative_to(root)}\n")
    if stale:
        sys.stderr.write("Run: python -m gstack_browse.agent.docgen --write\n")
    return 1 if stale else 0


def watch_sources(root: Path) -> int:
    """Write the documents again after each change of a source, until Ctrl-C. Return the exit code, 0.

    Each writing is a new process, which imports the changed code.
    """
    seen: dict[Path, int] = {}
    try:
        while True:
            if (now := _source_times(root)) != seen:
                subprocess.run(
                    [sys.executable, "-m", "gstack_browse.agent.docgen", "--write"], cwd=root, check=False
                )
                seen = now
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        return 0


def _find_stale(texts: dict[Path, str]) -> list[Path]:
    """Return the paths in `texts` (path → full text) whose file is missing or has another text."""
    return [
        path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def _source_times(root: Path) -> dict[Path, int]:
    """Return the modification time in nanoseconds of each file that the generated documents are made from."""
    package = root / "gstack_browse"
    shared = (package / "agent/skills/shared").glob("*.md")
    sources = [*package.rglob("*.py"), *package.rglob("*.tmpl"), *shared]
    return {path: path.stat().st_mtime_ns for path in sources}


if __name__ == "__main__":
    sys.exit(main())
