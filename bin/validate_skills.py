"""Validate each skill of `.claude-plugin/marketplace.json` by the library of agentskills.io.

Run by `bin/test checks`. Exit code 1: a skill is not valid, or not there.
"""

import json
import sys
from pathlib import Path

from skills_ref import validate

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    marketplace = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text(encoding="utf-8"))
    folders = {ROOT / path for plugin in marketplace["plugins"] for path in plugin["skills"]}
    problems = [
        f"{folder.relative_to(ROOT)}: {problem}" for folder in sorted(folders) for problem in validate(folder)
    ]
    sys.stdout.write("".join(f"{line}\n" for line in problems or [f"{len(folders)} skills are valid"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
