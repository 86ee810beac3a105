import json
import sys

from gstack_browse import __version__
from tests.unit.agent.local.conftest import Place


def test_version_is_printed_for_people_and_as_json(place: Place) -> None:
    assert place.reply("version").text.startswith(f"gbrowse {__version__}, Python ")
    facts = json.loads(place.reply("version", "--json").text)
    assert (facts["version"], facts["executable"]) == (__version__, sys.executable)
    assert set(facts) == {"version", "python", "executable", "package"}
