"""Test MiniWoB++: how its sentences and the reports of its pages are read.

No package is fetched here.
"""

from pathlib import Path
from random import Random

import pytest

from tests.each import each_row
from tests.evals import miniwob
from tests.evals.miniwob import figures, pages
from tests.evals.miniwob.mail import DELETE, FORWARD, REPLY, STAR, Wish, wish
from tests.evals.miniwob.sentences import Step, steps
from tests.evals.miniwob.site import Miniwob
from tests.evals.miniwob.solvers import SOLVERS
from tests.evals.sites.site import Reply, Request
from tests.evals.task import Outcome, make_case
from tests.unit.evals.made import outcome, run_of

SUBMIT = Step("click", ("Submit",))
PEOPLE = ("Konstance", "Loralie", "Tobe")


@each_row(
('Click on the "Okay" button.', [Step("click", ("Okay",))]),
        ("Click the button.", [Step("click", kind="button")]),
        ("Click button ONE, then click button TWO.", [Step("click", ("ONE",), kind="button"), Step("click", ("TWO",), kind="button")]),
        ("Click on Tab #3.", [Step("click", ("Tab #3",))]),
        ('Click the button in the dialog box labeled "x".', [Step("click", ("x",), kind="button")]),
        ('Close the dialog box by clicking the "x".', [Step("click", ("x",))]),
        ("Select a, b c and click Submit.", [Step("choose", ("a", "b c")), SUBMIT]),
        ("Select nothing and click Submit.", [Step("choose"), SUBMIT]),
        ("Select Saint Martin from the list and click Submit.", [Step("choose", ("Saint Martin",)), SUBMIT]),
        ('Type "ALAN" in all lower case letters in the text input and press Submit.', [Step("fill", value="alan"), SUBMIT]),
        ("Enter 1:08 AM as the time and press submit.", [Step("fill", value="01:08"), Step("click", ("submit",))]),
        ("Enter 12:30 PM as the time and press submit.", [Step("fill", value="12:30"), Step("click", ("submit",))]),
        ("Enter 02/09/2018 as the date and hit submit.", [Step("fill", value="2018-02-09"), Step("click", ("submit",))]),
        ("Focus into the 3rd input textbox.", [Step("focus", nth=2)]),
        (
            'Enter the username "al" and the password "P6" into the text fields and press login.',
            [Step("fill", ("username",), "al"), Step("fill", ("password",), "P6"), Step("click", ("login",))],
        ),
        (
            'Enter the password "K7" into both text fields and press submit.',
            [Step("fill", value="K7"), Step("fill", value="K7", nth=1), Step("click", ("submit",))],
        ),
        (
            'Check the 2nd radio button and enter the number "24" into the 3rd textbox.',
            [Step("click", kind="radio", nth=1), Step("fill", value="24", nth=2)],
        ),
)  # fmt: skip
def test_a_sentence_is_read_step_by_step(asked: str, wanted: list[Step]) -> None:
    assert steps(asked) == wanted


@each_row(
("Find the email by Tobe and click the trash icon to delete it.", Wish(DELETE, "Tobe")),
        ("Delete the emails from Tobe that are not marked as important.", Wish(DELETE, "Tobe")),
        ("Can you mark the email from Tobe as important, please?", Wish(STAR, "Tobe")),
        ("Tobe's email needs to be flagged.", Wish(STAR, "Tobe")),
        ('Say to Tobe "In a minute."', Wish(REPLY, "Tobe", words="In a minute.")),
        ('Find the email by Loralie and reply to them with the text "Est. Ut.".', Wish(REPLY, "Loralie", words="Est. Ut.")),
        ("Forward to Vonni the email that Konstance sent to me today.", Wish(FORWARD, "Konstance", "Vonni")),
        ("Give Vonni Konstance's Email", Wish(FORWARD, "Konstance", "Vonni")),
        ("Send Konstance's email Vonni.", Wish(FORWARD, "Konstance", "Vonni")),
        ("Vonni is waiting for the email by Konstance.", Wish(FORWARD, "Konstance", "Vonni")),
        ("Konstance wants her message to be sent to Vonni.", Wish(FORWARD, "Konstance", "Vonni")),
        ("put Loralie on the list of people to send Konstance's email to", Wish(FORWARD, "Konstance", "Loralie")),
)  # fmt: skip
def test_wordings_of_an_email_task_parse_to_one_wish(asked: str, wanted: Wish) -> None:
    assert wish(asked, PEOPLE) == wanted


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one page."""
    for name, content in {"core/core.js": "var core = {};", "miniwob/one.html": "<title>ü"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(pages, "root", lambda: tmp_path)
    return tmp_path


def answered(site: Miniwob, path: str) -> Reply:
    return site.answer(Request("GET", "127.0.0.1", path))


def test_pages_are_served_with_a_problem_for_each_seed_and_number(root: Path) -> None:
    site = Miniwob("one")
    site.fill(Random(3))
    page = answered(site, "/miniwob/one.html")
    assert (page.body.decode(), page.kind) == ("<title>ü", "text/html; charset=utf-8")
    (root.parent / "outside.html").write_text("secret")
    assert answered(site, "/../outside.html").status == 404
    assert answered(site, "/miniwob/none.html").status == 404

    def core(seed: int, number: int) -> bytes:
        site = Miniwob("one", number)
        site.fill(Random(seed))
        return answered(site, "/core/core.js").body

    assert core(3, 1) == core(3, 1)
    assert len({core(3, 1), core(3, 2), core(4, 1)}) == 3


@pytest.mark.parametrize(("rewards", "problems"), [
    ([], ["the page gave no reward: nothing ended its episode"]),
    ([0.4], []),
    ([-1.0, 1.0], ["the page's reward is -1.00"]),
    ([1.0, -1.0], []),
], ids=["nothing done", "done", "wrong first", "right first"])  # fmt: skip
def test_the_first_reward_counts(
    rewards: list[float], problems: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(miniwob, "REWARD_SECONDS", 0)
    task = miniwob.MiniwobTask("one")
    case = make_case(task, 3, task.make_site())
    for reward in rewards:
        case.site.answer(Request("POST", "127.0.0.1", "/-/episode", body=f'{{"reward": {reward}}}'.encode()))
    assert case.problems(Outcome("It is done.", tmp_path)) == problems
    assert "/miniwob/one.html" in case.prompt


def test_each_task_has_a_solver_or_a_reason_and_no_reward_without_a_number() -> None:
    site = Miniwob("one")
    reply = site.answer(Request("POST", "127.0.0.1", "/-/episode", body=b'{"reward": "1"}'))
    assert (reply.status, site.database.content()["episodes"], site.ended.is_set()) == (400, [], False)
    assert not set(SOLVERS) & set(miniwob.UNSOLVED)
    assert len(SOLVERS) + len(miniwob.UNSOLVED) == 130
    assert miniwob.MiniwobTask("hover-shape").cannot == {"gbrowse": "the page never gives a reward"}
    assert [miniwob.MiniwobTask("one", number).name for number in (1, 2)] == ["miniwob-one", "miniwob-one.2"]


def test_a_run_of_all_pages_is_put_into_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "page.md"
    document.write_text(f"before\n{figures.BEGIN}old\n{figures.END}after\n")
    monkeypatch.setattr(figures, "DOCUMENT", document)
    tests = [outcome(f"miniwob-{name}", chars=100) for name in SOLVERS if name != "daily-calendar"]
    reason = {"passed": False, "exit_reason": "cannot"}
    with pytest.raises(ValueError, match="a whole scripted run"):
        figures.write(run_of(*tests, tasks="miniwob"))
    tests += [outcome(f"miniwob-{name}", **reason) for name in ("daily-calendar", *miniwob.UNSOLVED)]
    figures.write(run_of(*tests, tasks="miniwob"))
    rows = document.read_text().splitlines()
    assert (rows[0], rows[-1]) == ("before", "after")
    assert "| `dates` | 7 | 6 | 0 | 1 | 0 | 100 |" in rows
    assert "| `pictures` | 2 | 2 | 0 | 0 | 0 | 100 |" in rows
    assert "| all | 130 | 127 | 0 | 3 | 0 | 100 |" in rows
    assert "Not solved: `daily-calendar`, `click-checkboxes-soft`, `hover-shape`." in rows
