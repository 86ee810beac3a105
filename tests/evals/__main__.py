"""`python -m tests.evals`, as `bin/evals` calls it."""

import sys

from tests.evals.cli import main

sys.exit(main())
