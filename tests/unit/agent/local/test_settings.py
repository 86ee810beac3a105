from pathlib import Path
from typing import get_args

import pytest

from gstack_browse.agent.local import settings
from gstack_browse.errors import FileFailed
from gstack_browse.workspace.private_files import PrivateDirectory
from tests.each import each


def test_defaults_hold_and_a_change_keeps_the_rest_of_the_file(tmp_path: Path) -> None:
    assert list(settings.MEANINGS) == list(get_args(settings.Name)) == list(settings.UserSettings._fields)
    assert settings.read_settings(PrivateDirectory(str(tmp_path / "none"))) == settings.UserSettings(
        None, False, True
    )
    text = "# mine\nother = 1\nupdate_check = true\n\n[table]\nupdate_check = 'theirs'\n"
    changed = settings.replace_line(text, "update_check", "false")
    assert changed == "# mine\nother = 1\nupdate_check = false\n\n[table]\nupdate_check = 'theirs'\n"
    assert settings.parse_settings(changed) == {"update_check": False}
    assert settings.parse_settings(settings.replace_line(changed, "update_check", None)) == {}


@each(["update_check = maybe", "[", "update_check = 1", "local_traces = 'false'"])
def test_a_value_that_is_neither_true_nor_false_is_refused(text: str) -> None:
    with pytest.raises(FileFailed):
        settings.parse_settings(text)
