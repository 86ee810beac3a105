"""Set how many examples hypothesis tries: as many as `GBROWSE_EXAMPLES` says, else `hostile.FEW`.

None fails for the time that an example takes.
"""

from hypothesis import settings

from tests.unit.hostile import EXAMPLES

settings.register_profile("ours", deadline=None, max_examples=EXAMPLES)
settings.load_profile("ours")
