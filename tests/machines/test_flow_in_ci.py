"""Run the flow of `docs/testing.md` in a job: on a new Debian, without a display, as a user."""

from collections.abc import Callable

import pytest

from tests.e2e.serving import serving
from tests.e2e.test_docs_testing import FILES, FLOW, Shop
from tests.machines.debian import USER, Machine

pytestmark = pytest.mark.slow
RELEASE = "trixie"


@pytest.fixture
def machine(make_machine: Callable[..., Machine]) -> Machine:
    """A machine with Chromium, what gbrowse asks for, and the files of the page in the user's `job`."""
    made = make_machine(RELEASE, ("chromium", "python3-venv", "gcc", "libc6-dev"))
    for name, text in FILES.items():
        file = made.changes / f"home/{USER}/job" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (made.changes / f"home/{USER}/job/gbrowse-report").mkdir()
    made.must(f"chown -R {USER}: /home/{USER}/job")
    return made


def test_flow_in_a_container_leaves_junit_pictures_and_an_exit_code(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = machine.changes / f"home/{USER}/job/gbrowse-report"
    with serving(Shop) as port:
        job = f"cd job && PATH=$HOME/gbrowse/bin:$PATH && {FLOW} --var site=http://localhost:{port}"
        done = machine.run(job, user=USER)
        assert done.returncode == 0, done.stderr
        assert "5 steps passed in " in done.stdout
        assert (reports / "list.xml").read_text().count("<testcase ") == 5
        assert (reports / "list.html").read_text().count("data:image/jpeg;base64,") == 5
        monkeypatch.setattr(Shop, "answers", 507)
        done = machine.run(job, user=USER)
    assert done.returncode == 1, done.stderr
    assert "<failure " in (reports / "list.xml").read_text()
