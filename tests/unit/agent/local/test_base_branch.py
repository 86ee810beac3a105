import pytest

from gstack_browse.errors import BrowseError
from tests.each import each
from tests.unit.agent.local.conftest import Place

pytestmark = pytest.mark.programs


@pytest.fixture
def cloned(repository: Place) -> Place:
    """A branch `work` of a repository whose remote has `main` and `trunk`."""
    repository.git("branch", "trunk")
    repository.git("clone", "-q", "--bare", ".", "../remote.git")
    repository.git("remote", "add", "origin", "../remote.git")
    repository.git("fetch", "-q", "origin")
    repository.git("checkout", "-qb", "work")
    return repository


@each(["-evil", "a b", "$(id)", "", "a..b", "not json {"])
def test_else_the_remotes_head_whatever_those_programs_say(said: str, cloned: Place) -> None:
    cloned.git("remote", "set-head", "origin", "trunk")
    cloned.program("gh", f"printf '%s' '{said}'")
    cloned.program("glab", """echo '{"state": "merged", "target_branch": "main"}'""")
    assert cloned("base-branch") == ("$(id)" if said == "$(id)" else "trunk")  # a name that git allows


def test_the_open_request_says_it_first_else_the_name_is_a_guess(cloned: Place) -> None:
    assert cloned("base-branch") == "main"
    assert cloned.notes == ["the base is known from its name: a guess"]
    assert cloned("base-branch", "--ref") == "origin/main"
    cloned.git("remote", "set-head", "origin", "main")
    cloned.program("gh", "echo trunk")
    assert cloned("base-branch") == "trunk"
    assert cloned.notes == ["the base is known from the open pull request (gh)"]
    assert cloned("base-branch", "--ref") == "origin/trunk"
    cloned.program("gh", "exit 1")
    cloned.program("glab", """echo '{"state": "opened", "target_branch": "trunk"}'""")
    assert cloned("base-branch") == "trunk"
    assert cloned.notes == ["the base is known from the open merge request (glab)"]


def test_without_a_remote_the_local_branch_is_meant_if_it_has_a_usual_name(repository: Place) -> None:
    repository.program("gh", "echo no; exit 0")  # is not asked
    repository.git("branch", "-m", "main", "master")
    assert repository("base-branch", "--ref") == "master"
    repository.git("branch", "-m", "master", "odd")
    with pytest.raises(BrowseError, match="No base branch was found"):
        repository("base-branch")
