"""Test tasks of other benchmarks: their files as tasks, and their rules of evaluation.

The files here are our own, in the form of theirs.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.each import each_row
from tests.evals.benchmarks import tasks
from tests.evals.benchmarks.matching import fits_url, has_contents, includes, is_exactly
from tests.evals.benchmarks.places import NAMES, Places, places
from tests.evals.sets import TaskSet
from tests.evals.task import Case, Outcome, Task, Verdict, posed

PLACES = Places((("SHOPPING", "http://shop.test"),))
LOGIN = {"cookies": [], "origins": []}


def task(folder: Path, rules: Mapping[str, object], **more: object) -> Task:
    """A task of WebArena's form."""
    raw = {
        "task_id": 7,
        "sites": ["shopping"],
        "start_url": "__SHOPPING__/cart |AND| __SHOPPING__",
        "storage_state": "./login.json",
        "intent": "How many {things} are in the cart?",
        "eval": rules,
        **more,
    }
    (folder / "tasks.json").write_text(json.dumps([raw]))
    (folder / "login.json").write_text(json.dumps(LOGIN))
    (made,) = tasks("webarena", str(folder / "tasks.json"), PLACES)
    return made


def case_of(made: Task) -> Case:
    return posed(made, 1, made.site())


def judged(folder: Path, rules: Mapping[str, object], answer: str = "", **said: str) -> Verdict:
    """The verdict, where gbrowse prints this for these commands; it notes where it was sent."""
    made = task(folder, rules)

    def browser(*words: str) -> str:
        went.extend(words[1:] if words[0] == "goto" else ())
        return said.get(words[0], "")

    went: list[str] = []
    verdict = made.judge(case_of(made), Outcome(answer, folder, browser))
    assert went in ([], ["http://shop.test/orders"])
    return verdict


@each_row(
({"start_url": "__GITLAB__"}, "no address is known: --site gitlab=URL"),
        ({"storage_state": "./.auth/none.json"}, "the login ./.auth/none.json is not beside the tasks"),
        ({"storage_state": "/etc/hostname"}, "the login /etc/hostname is not beside the tasks"),
        ({"storage_state": "../tasks.json"}, "the login ../tasks.json is not beside the tasks"),
)  # fmt: skip
def test_task_without_site_or_login_is_not_ready(more: Mapping[str, str], reason: str, tmp_path: Path) -> None:
    assert task(tmp_path, {"eval_types": []}, **more).unready.startswith(reason)


@each_row(
    ({"exact_match": "Quest Band"}, ' "quest band" ', 0),
    ({"exact_match": "Quest Band"}, "It is the Quest Band", 1),
    ({"must_include": ["3.5", "Ada"]}, "Ada paid 3.50 on Monday", 0),
    ({"must_include": ["3.5", "Ada"]}, "4", 2),
    ({"must_include": ["0"]}, "there are 10", 1),
    ({"must_include": ["0"]}, "there are 0.", 0),
    ({"fuzzy_match": ["two hours"]}, "It takes Two hours by car", 0),
    ({"fuzzy_match": "N/A"}, "n/a", 0),
    ({"fuzzy_match": ["2h"]}, "two hours", None),
    ({"fuzzy_match": "N/A"}, "there are none", None),
)
def test_an_answer_is_compared_by_rules_or_left_to_a_judge(
    answers: Mapping[str, object], answer: str, problems: int | None, tmp_path: Path
) -> None:
    rules = {
        "eval_types": ["string_match", "url_match"],
        "reference_answers": answers,
        "reference_url": "http://a.test",
    }
    verdict = judged(tmp_path, rules, answer, url="http://a.test/")
    if problems is None:
        assert (verdict.is_open, verdict.passed) == (True, False)
        assert verdict.problems[0].startswith("takes a judge")
    else:
        assert (len(verdict.problems), verdict.is_open) == (problems, False)
    # What the rules show to be wrong is wrong without a judge.
    assert not judged(tmp_path, rules, answer, url="http://b.test/").is_open


TITLE = {"url": "last", "locator": "document.title", "required_contents": {"exact_match": "Orders"}}
HTML = {"url": "last", "locator": "", "required_contents": {"must_include": ["Ann & Bo"]}}
EITHER = {**TITLE, "url": "__SHOPPING__/orders", "required_contents": {"must_include": ["a |OR| b"]}}


@each_row(
    (HTML, {"html": "<p>Ann &amp; Bo</p>"}, True),
    (TITLE, {"js": "orders"}, True),
    (TITLE, {}, False),
    (EITHER, {"js": "b"}, True),
)
def test_pages_are_asked_in_the_browser_that_is_left(
    target: Mapping[str, object], said: Mapping[str, str], is_there: bool, tmp_path: Path
) -> None:
    verdict = judged(tmp_path, {"eval_types": ["program_html"], "program_html": [target]}, **said)
    assert (verdict.passed, verdict.is_open) == (is_there, False)
    python = {**HTML, "url": "func:print('__last_url__')"}
    verdict = judged(tmp_path, {"eval_types": ["program_html"], "program_html": [python]})
    assert (verdict.is_open, verdict.problems) == (True, ("takes Python of WebArena's own: func:",))


def test_urls_and_texts_are_matched_with_their_references() -> None:
    pictures, open_ones = "http://a.test/f/pics", "http://a.test/list?state=open"
    for reference, url, fits in (
        (pictures, "http://a.test/f/pics/", True),
        (pictures, "http://a.test/f/pics/12?sort=new", True),
        ("http://a.test/x |OR| http://a.test/y", "http://a.test/y", True),
        (open_ones, "http://a.test/list?page=2&state=open", True),
        (open_ones, "http://a.test/list?state=closed", False),
        (pictures, "http://b.test/f/pics", False),
    ):
        assert fits_url(reference, url) == fits
    assert is_exactly("'A'", " a ")
    assert (includes("0", "10"), includes("0", "10", as_word=True)) == (True, False)
    with pytest.raises(ValueError, match="no contents"):
        has_contents({"like": "a"}, "a")


def test_webvoyager_has_questions_and_nobody_to_judge_them(tmp_path: Path) -> None:
    line = {"web_name": "A Shop", "id": "A Shop--3", "ques": "What is {new}?", "web": "https://shop.test/"}
    (tmp_path / "data.jsonl").write_text(json.dumps(line) + "\n\n")
    (made,) = tasks("webvoyager", str(tmp_path / "data.jsonl"), Places())
    case = case_of(made)
    assert made.name == "webvoyager-A-Shop-3"
    assert case.opening == [("goto", "https://shop.test/")]
    assert case.prompt.startswith("What is {new}?\n")
    assert made.judge(case, Outcome("A lamp", tmp_path)) == Verdict(("takes a judge: A lamp",), is_open=True)
    assert not made.judge(case, Outcome(" ", tmp_path)).is_open


@each_row(
("webarena", "{}"), ("webarena", "no"), ("webarena", "[3]"), ("webvoyager", "{}"), ("webvoyager", '{"id": "1", "ques": "", "web": "file:///etc"}'),
)  # fmt: skip
def test_a_file_that_is_none_is_said_so(format: str, content: str, tmp_path: Path) -> None:
    (tmp_path / "tasks").write_text(content)
    with pytest.raises(ValueError):  # noqa: PT011 - the words are of json, or ours
        tasks(format, str(tmp_path / "tasks"), PLACES)


def test_sites_are_read_from_options_and_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MAP", "http://map.test")
    expected = (("GITLAB", "https://git.test"), ("MAP", "http://other.test"))
    assert places(["map=http://other.test/", "gitlab=https://git.test"]).known == expected
    assert places([]).filled_in("__MAP__/a __REDDIT__") == "http://map.test/a __REDDIT__"
    for word in ("shop=http://a.test", "map", "map=file:///etc/passwd"):
        with pytest.raises(ValueError, match="--site takes"):
            places([word])


def test_runs_of_a_file_are_compared_with_each_other_only() -> None:
    assert TaskSet("webarena", file="/data/test.raw.json").label == "webarena:test.raw.json"
    assert (TaskSet().label, TaskSet("miniwob", 3).label) == ("", "miniwob")
    assert (
        TaskSet(seconds=9).named("shop-order").limits.seconds,
        TaskSet().named("shop-order").limits.seconds,
    ) == (9, 300)
