"""Read tasks of WebArena (`config_files/test.raw.json`), and evaluate them.

In the browser that the agent leaves behind.

Rules: https://github.com/web-arena-x/webarena, evaluation_harness. What takes a model (`fuzzy_match`) or the harness's own Python
(`func:`) is not judged here, and says so: the result is `unjudged`, neither passed nor failed.
"""

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.evals.benchmarks.matching import fits_url, has_contents, includes, is_exactly
from tests.evals.benchmarks.places import Elsewhere, Places
from tests.evals.task import TOOLS, Case, Facts, Limits, Outcome, Task, Told, Verdict
from tests.evals.tools.browser import Browser, CannotError

PROMPT = """\
{intent}

The browser is open at {start}, signed in where that is needed. Sites that belong together: {sites}. Your last message is the answer: \
as short as the question allows, without a sentence around it. If it cannot be done, the answer is N/A and the reason."""
BY_AGENTS = "no script solves tasks of this benchmark: --solver claude"
LOGIN = "login.json"
AND = " |AND| "
LIMITS = Limits(turns=30, seconds=600)


class UnjudgedError(Exception):
    """The check takes more than rules."""


def tasks(text: str, places: Places, folder: Path) -> Iterator[Task]:
    """The tasks of a file: a list of objects, or one. Logins are looked for beside the file."""
    read = json.loads(text)
    for raw in read if isinstance(read, list) else [read]:
        yield _task(json.loads(places.filled_in(json.dumps(raw))), places, folder)


def _task(raw: Mapping[str, Any], places: Places, folder: Path) -> Task:
    return Task(
        name=f"webarena-{int(raw['task_id'])}",
        kind="webarena",
        site=Elsewhere,
        prompt=PROMPT,
        pose=partial(_pose, raw, folder),
        check=_no_check,
        solver=no_solver,
        commands=frozenset({"goto", "snapshot", "click", "fill"}),
        limits=LIMITS,
        cannot=dict.fromkeys(TOOLS, BY_AGENTS),
        unready=_obstacle(raw, places, folder),
        verdict=partial(_verdict, raw["eval"]),
    )


def no_solver(page: Browser, told: Told) -> str:
    raise CannotError(BY_AGENTS)


def _no_check(case: Case, outcome: Outcome) -> Sequence[str]:
    return ()


def _obstacle(raw: Mapping[str, Any], places: Places, folder: Path) -> str:
    """Why the task cannot be begun."""
    if missing := places.missing(json.dumps(raw)):
        return f"no address is known: {', '.join(f'--site {name.lower()}=URL' for name in missing)}"
    if (state := raw.get("storage_state")) and _login(folder, state) is None:
        return f"the login {state} is not beside the tasks; WebArena's auto_login makes it"
    return ""


def _login(folder: Path, state: str) -> Path | None:
    """The file of a login; none outside of the folder of the tasks."""
    file = (folder / state).resolve()
    return file if file.is_relative_to(folder.resolve()) and file.is_file() else None


def _pose(raw: Mapping[str, Any], folder: Path, case: Case) -> Facts:
    starts = str(raw["start_url"]).split(AND)
    if (state := raw.get("storage_state")) and (file := _login(folder, state)):
        case.files[LOGIN] = file.read_bytes()
        case.opening.append(("state-load", LOGIN))
    case.opening += [("newtab", start) if number else ("goto", start) for number, start in enumerate(starts)]
    return {"intent": raw["intent"], "start": starts[-1], "sites": ", ".join(raw["sites"])}


def _verdict(rules: Mapping[str, Any], case: Case, outcome: Outcome) -> Verdict:
    """Evaluate a task: all kinds of evaluation that it names have to agree.

    One that fails decides, also where another cannot be judged.
    """
    problems: list[str] = []
    open_questions: list[str] = []
    for kind in rules["eval_types"]:
        try:
            problems += _KINDS[kind](rules, outcome)
        except UnjudgedError as question:
            open_questions.append(str(question))
    if not problems and open_questions:
        return Verdict(tuple(open_questions), is_open=True)
    return Verdict(tuple(problems))


def _answer(rules: Mapping[str, Any], outcome: Outcome) -> Iterator[str]:
    for approach, reference in rules["reference_answers"].items():
        if approach == "exact_match" and not is_exactly(reference, outcome.answer):
            yield f"the answer is not {reference}"
        elif approach == "must_include":
            as_word = len(reference) == 1
            missing = [each for each in reference if not includes(each, outcome.answer, as_word=as_word)]
            yield from (f"the answer does not have {each}" for each in missing)
        elif approach == "fuzzy_match":
            _fuzzily(reference, outcome.answer, rules.get("string_note") or "")


def _fuzzily(reference: str | Sequence[str], answer: str, note: str) -> None:
    """Raise UnjudgedError where the words themselves do not decide, and a model would weigh them."""
    if reference == "N/A":
        if not is_exactly("N/A", answer):
            raise UnjudgedError(f"takes a judge: does the answer say why it cannot be done? {note}")
        return
    wanted = [reference] if isinstance(reference, str) else reference
    if unsaid := [each for each in wanted if not includes(each, answer)]:
        raise UnjudgedError(f"takes a judge: does the answer mean {'; '.join(unsaid)}?")


def _url(rules: Mapping[str, Any], outcome: Outcome) -> Iterator[str]:
    url = outcome.browser("url")
    if not fits_url(rules["reference_url"], url):
        yield f"the page is {url}, not {rules['reference_url']}"


def _contents(rules: Mapping[str, Any], outcome: Outcome) -> Iterator[str]:
    for target in rules["program_html"]:
        if "func:" in target["url"] or target["locator"].startswith("func:"):
            raise UnjudgedError("takes Python of WebArena's own: func:")
        if target["url"] != "last":
            outcome.browser("goto", target["url"])
        if not has_contents(target["required_contents"], _located_text(target, outcome)):
            where = target["locator"] or "the page"
            yield f"{where} at {target['url']} does not have {target['required_contents']}"


def _located_text(target: Mapping[str, Any], outcome: Outcome) -> str:
    """Return what the locator, an expression, finds on the page; nothing where it fails."""
    locator = target["locator"].strip()
    if not locator:
        return html.unescape(outcome.browser("html"))
    for action in target.get("prep_actions", ()):
        outcome.browser("js", action)
    return html.unescape(outcome.browser("js", f"String({locator})"))


_KINDS = {"string_match": _answer, "url_match": _url, "program_html": _contents}
