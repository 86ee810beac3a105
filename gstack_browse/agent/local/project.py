"""Project: facts about the project for those who review, test and ship it."""

from typing import Annotated, Literal

from gstack_browse.agent.local import settings
from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import UsageError
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import Count, InFile, Milliseconds, Word
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.workspace.private_files import open_home

REVIEWS = "reviews.jsonl"


def _parse_skill_name(word: str, place: CallerPaths) -> str:
    """Return the skill name in the argument `word`, in lower case. Raises UsageError if it is malformed."""
    if not (word.isascii() and word.replace("-", "").isalnum() and len(word) <= 64):
        raise UsageError(
            f"{word[:60]!a} is no skill's name", "Lower case letters, digits and hyphens: plan-eng-review"
        )
    return word.lower()


Skill = Annotated[
    str, ArgumentType("skill", "the skill that reviewed: review, plan-eng-review, qa, …", _parse_skill_name)
]


@command(READ, examples=["base-branch", "base-branch --ref"])
def base_branch(caller: Caller, *, ref: bool = False) -> str:
    """Print the branch that this work is to be merged into. How that is known is said on standard error.

    The base of the open pull request (gh) or merge request (glab), else the remote's HEAD, else main or master.

    ref: print what git calls it here, such as origin/main, for git diff and git log
    """
    from gstack_browse.agent.local.git import find_base_branch, open_git

    with open_git(caller) as git:
        found = find_base_branch(git)
        caller.notes.append(f"the base is known from {found.way}")
        remote = f"origin/{found.name}"
        if ref and git.run("rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}"):
            return remote
        return found.name


@command(
    META, examples=["review-log review clean", "review-log plan-eng-review issues --unresolved 2 --critical 1"]
)
def review_log(
    caller: Caller,
    skill: Skill,
    status: Literal["clean", "issues", "stopped"],
    *,
    unresolved: Count = 0,
    critical: Count = 0,
    mode: Word = "",
) -> str:
    """Note that a review of the files as they are now has ended, for review-dashboard.

    Kept in ~/.gstack/projects/, with the commit and a hash of the files.

    status: clean, or issues that are left, or stopped before its end
    unresolved: how many findings are left
    critical: how many of them are critical
    mode: how the review was done, in the skill's words
    """
    import time

    from gstack_browse.agent.local import reviews
    from gstack_browse.agent.local.git import open_git

    if status == "clean" and (unresolved or critical):
        raise UsageError(
            "A review with findings left is not clean", "Give issues, or no --unresolved and --critical"
        )
    place = open_home(caller.environment)
    if not settings.read_settings(place).local_traces:
        return "Nothing was noted: local_traces is false"
    with open_git(caller) as git:
        slug, tree = git.project_slug(), git.hash_files()
        commit = git.run("rev-parse", "--short=12", "HEAD") or ""  # "" before the first commit
    record = reviews.Review(skill, int(time.time()), status, unresolved, critical, mode[:60], commit, tree)
    path = place.append(REVIEWS, record.to_line(), folder=f"projects/{slug}")
    return f"Noted: {skill} {reviews.describe_state(record)}\n→ {path}"


@command(READ, examples=["review-dashboard"])
def review_dashboard(caller: Caller) -> str:
    """Print which reviews have run on this project, and whether it is cleared to ship.

    CLEARED: the last engineering review (review or plan-eng-review) was clean, is below 7 days old, and saw the files as
    they are now, committed or not.
    """
    import time

    from gstack_browse.agent.local import reviews
    from gstack_browse.agent.local.git import open_git

    with open_git(caller) as git:
        slug, tree = git.project_slug(), git.hash_files()
    content = open_home(caller.environment).read(REVIEWS, folder=f"projects/{slug}", max_bytes=20_000_000)
    return reviews.render_dashboard(reviews.parse_records(content or b""), tree, time.time())


@command(READ, examples=["test-bootstrap"])
def test_bootstrap(caller: Caller) -> str:
    """Print the languages, frameworks, test runners, tests and CI that the project's files show."""
    from gstack_browse.agent.local.checks.testing_found import describe_project

    return describe_project(caller.paths.workspace)


@command(
    META,
    examples=["qa-report findings.json", "qa-report findings.json --baseline .gstack/qa-reports/baseline.json"],
)
def qa_report(caller: Caller, findings: InFile, *, baseline: InFile | None = None) -> str:
    """Compute the health score of a QA session's findings, and write its report and baseline.

    Below .gstack/qa-reports/. The findings are JSON: {"url", "mode", "pages", "console_errors", "broken_links", "issues":
    [{"title", "severity", "category", "page", "steps", "expected", "actual", "evidence"}]}. Severities: critical, high,
    medium, low. Categories: console, links, visual, functional, ux, performance, content, accessibility. Evidence names
    files of the workspace; pictures are shown in the report.

    baseline: an earlier baseline.json; says what is fixed, what is new, and how the score has changed
    """
    from gstack_browse.agent.local.qa_report import write_report

    return write_report(findings, baseline, caller.paths.workspace)


@command(
    READ,
    examples=[
        "load-times now.txt --baseline before.txt",
        "load-times now.txt --baseline before.txt --percent 100 --ms 500",
    ],
)
def load_times(
    caller: Caller,
    measured: InFile,
    *,
    baseline: InFile | None = None,
    percent: Count = 20,
    ms: Milliseconds = 50,
) -> str:
    """Print the medians of what perf printed several times into a file. Compare them with an earlier file.

    A phase is SLOWER or FASTER when it differs by more than both limits; SLOWER ends with exit code 1.

    measured: the file, for example of five times 'reload', 'wait --load' and 'perf'
    baseline: the earlier file
    percent: by how much of the baseline a phase must differ
    ms: by how many milliseconds a phase must differ
    """
    from gstack_browse.agent.local.checks import perf_times

    now = perf_times.parse_medians(perf_times.read_outputs(measured))
    if baseline is None:
        return perf_times.render_table(now)
    return perf_times.render_comparison(
        now, perf_times.parse_medians(perf_times.read_outputs(baseline)), percent=percent, milliseconds=ms
    )
