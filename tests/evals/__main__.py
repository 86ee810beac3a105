"""`python -m tests.evals`, as `bin/evals` calls it."""

import sys

from tests.evals.cli import main

if __name__ == "__main__":  # processes of `--jobs` import this module
    sys.exit(main())
