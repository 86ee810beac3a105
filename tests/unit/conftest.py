"""Set how many examples hypothesis tries: as many as `GBROWSE_EXAMPLES` says, else `hostile.FEW`.

None fails for the time that an example takes.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from gstack_browse.workspace.state import WritableStateDir, open_state_dir
from tests.unit.hostile import EXAMPLES

settings.register_profile("ours", deadline=None, max_examples=EXAMPLES)
settings.load_profile("ours")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[WritableStateDir]:
    """A daemon's directory in the test's own workspace."""
    state = open_state_dir(str(tmp_path), {})
    yield state
    state.close()
