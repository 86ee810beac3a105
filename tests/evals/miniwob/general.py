"""Tasks whose instruction names what is meant: read the sentence, find by role and name, act."""

import re

from tests.evals.miniwob.sentences import Step, steps
from tests.evals.miniwob.solvers import solves
from tests.evals.tools.browser import Browser, Line, LostError

CLICKABLE = "button|link|tab|menuitem|generic|listitem"
FIELDS = "textbox|spinbutton|searchbox|combobox"
ICONS = {"x": "Close"}
"""What icons without a word are called."""


PAGES = (
    "click-button", "click-button-sequence", "click-checkboxes", "click-checkboxes-large",
    "click-checkboxes-transfer", "click-dialog", "click-dialog-2", "click-link", "click-option",
    "click-scroll-list", "click-tab", "click-test", "click-test-2", "click-test-transfer", "choose-list",
    "enter-date", "enter-password", "enter-text", "enter-text-2", "enter-text-dynamic", "enter-time",
    "focus-text", "focus-text-2", "login-user", "unicode-test",
)  # fmt: skip


@solves(*PAGES)
def follow(page: Browser, asked: str) -> None:
    """Do what the sentence says, step by step."""
    page.look()
    for step in steps(asked):
        do(page, step)


@solves("form-sequence-2")
def follow_and_submit(page: Browser, asked: str) -> None:
    """The sentence does not say that the form is to be sent."""
    follow(page, asked)
    submit(page)


def do(page: Browser, step: Step) -> None:
    """Do one step on the page that was looked at last."""
    if step.verb == "fill":
        page.fill(field(page, *step.names, nth=step.nth), step.value)
    elif step.verb == "focus":
        page.click(field(page, nth=step.nth))
    elif step.verb == "choose":
        choose(page, step.names)
    elif step.kind in ("radio", "checkbox"):
        page.check(page.find(step.kind, nth=step.nth))
    else:
        press(page, *step.names, kind=step.kind)


def press(page: Browser, name: str = "", *, kind: str = "") -> str:
    """Click what has a name; without one, the first of its kind."""
    wanted = ICONS.get(name, name)
    for roles in (kind or "button", CLICKABLE):
        if found := page.all(roles, wanted):
            return page.click(found[0])
    # What a login button is called.
    if wanted == "login":
        return page.click(page.find("button"))
    raise LostError(f"nothing to click is called “{name}”")


def submit(page: Browser, name: str = "Submit") -> str:
    return page.click_button(name)


def look_and_submit(page: Browser) -> None:
    page.look()
    submit(page)


def field(page: Browser, label: str = "", *, nth: int = 0) -> Line:
    """The field of that name, or beside these words. Raises LostError."""
    found = [line for line in page.all(FIELDS) if _is_called(line, label)]
    if len(found) <= nth:
        raise LostError(f"no field “{label}” was printed")
    return found[nth]


def _is_called(line: Line, label: str) -> bool:
    return label.lower() in line.raw.partition(": ")[0].lower() or f'near "{label.lower()}' in line.raw.lower()


def box(page: Browser, target: str) -> list[float]:
    """Left, top, width and height of an element."""
    return [float(part) for part in page.run("box", target).split(",")]


def minutes(words: str) -> int:
    """A duration such as `2h 5m`."""
    hours, rest = re.search(r"(\d+)h", words), re.search(r"(\d+)m", words)
    return int(hours[1] if hours else 0) * 60 + int(rest[1] if rest else 0)


def choose(page: Browser, names: tuple[str, ...]) -> None:
    """Choose in whatever offers these: a list, boxes, radio buttons."""
    if lists := page.all("combobox|listbox"):
        page.run("select", lists[0].ref, *names)
        return
    for name in names:
        page.check(page.find("checkbox|radio", name))
