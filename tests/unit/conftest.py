"""Set how many examples hypothesis tries.

As many as `GBROWSE_EXAMPLES` says, else as each test says itself. None fails for the time that an example takes.
"""

import os

from hypothesis import settings

examples = {"max_examples": int(os.environ["GBROWSE_EXAMPLES"])} if "GBROWSE_EXAMPLES" in os.environ else {}
settings.register_profile("ours", deadline=None, **examples)  # type: ignore[arg-type]
settings.load_profile("ours")
