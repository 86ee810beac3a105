"""How many examples tests by hypothesis try: as many as `GBROWSE_EXAMPLES` says, else as many as each says itself."""

import os

from hypothesis import settings

if "GBROWSE_EXAMPLES" in os.environ:
    settings.register_profile("as many as asked for", max_examples=int(os.environ["GBROWSE_EXAMPLES"]))
    settings.load_profile("as many as asked for")
