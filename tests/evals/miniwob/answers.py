"""Tasks whose answer is worked out from what the page says, and typed into a field."""

import re

from tests.evals.miniwob.general import field, look_and_submit, minutes, submit
from tests.evals.miniwob.sentences import quoted
from tests.evals.miniwob.solvers import found, solves
from tests.evals.tools.browser import Browser, LostError


def answer(page: Browser, value: str) -> None:
    """Fill in the field and send it."""
    page.look()
    page.fill(field(page), value)
    submit(page)


@solves("simple-arithmetic")
def calculate(page: Browser, asked: str) -> None:
    problem = found(r"(\d+) ([-+x]) (\d+)", page.text("#math-problem"))
    left, right = int(problem[1]), int(problem[3])
    answer(page, str({"+": left + right, "-": left - right, "x": left * right}[problem[2]]))


@solves("simple-algebra")
def solve_for_x(page: Browser, asked: str) -> None:
    problem = found(r"(x|-?\d+) ([-+]) (x|-?\d+) = (-?\d+)", page.text("#math-problem"))
    left, sign, right, result = problem.groups()
    if left == "x":
        value = int(result) - int(right) if sign == "+" else int(result) + int(right)
    else:
        value = int(result) - int(left) if sign == "+" else int(left) - int(result)
    answer(page, str(value))


@solves("find-word")
def nth_word(page: Browser, asked: str) -> None:
    place = found(r"(\d+)\w\w word", asked)
    answer(page, re.findall(r"[\w']+", page.text("#area p"))[int(place[1]) - 1])


@solves("text-transform")
def slanted(page: Browser, asked: str) -> None:
    answer(page, "".join(page.text("#captcha").split()))


@solves("read-table")
def from_table(page: Browser, asked: str) -> None:
    label = asked.partition("value of ")[2].partition(" into")[0]
    answer(page, table(page)[label])


@solves("read-table-2")
def all_from_table(page: Browser, asked: str) -> None:
    values = table(page)
    page.look()
    for line in page.all("textbox"):
        near = re.search(r'near "(.+?):"', line.raw)
        assert near
        page.fill(line, values[near[1]])
    submit(page)


def table(page: Browser) -> dict[str, str]:
    """Rows of two cells."""
    rows = (row.split("\t") for row in page.text("#tab").splitlines())
    return {row[0].strip(): row[1].strip() for row in rows if len(row) == 2}


@solves("scroll-text")
def last_word(page: Browser, asked: str) -> None:
    words = re.findall(r"\w+", page.run("value", "#area textarea"))
    page.look()
    page.fill(page.find("textbox", nth=1), words[-1])
    submit(page)


@solves("copy-paste", "copy-paste-2")
def copy(page: Browser, asked: str) -> None:
    place = re.search(r"(\d)\w\w text area", asked)
    page.run("select-text", f"#area textarea >> nth={int(place[1]) - 1 if place else 0}")
    page.run("copy")
    page.run("click", "#area input")
    page.run("paste")
    look_and_submit(page)


@solves("guess-number")
def guess(page: Browser, asked: str) -> None:
    low, high = 0, 9
    while low <= high:
        middle = (low + high) // 2
        answer(page, str(middle))
        said = page.text("#area")
        if "lower than" in said:
            high = middle - 1
        elif "higher than" in said:
            low = middle + 1
        else:
            return
    raise LostError("no number is left")


@solves("generate-number")
def roll(page: Browser, asked: str) -> None:
    page.look()
    for _ in range(60):
        page.click_button("Generate")
        if _suits(int(page.text("#display-number")), asked):
            submit(page)
            return
    raise LostError("no number came that suits")


def _suits(number: int, asked: str) -> bool:
    if limit := re.search(r"(greater|less) than (-?\d+)", asked):
        return number > int(limit[2]) if limit[1] == "greater" else number < int(limit[2])
    return number % 2 == (" odd " in asked)


@solves("odd-or-even")
def mark(page: Browser, asked: str) -> None:
    numbers = [int(number) for number in re.findall(r"-?\d+", page.text("#area"))]
    page.look()
    for row, number in enumerate(numbers):
        page.click(page.find("button", "Odd" if number % 2 else "Even", nth=row))
    submit(page)


@solves("multi-layouts", "multi-orderings")
def search_movies(page: Browser, asked: str) -> None:
    wanted = found(r"for (.+?) movies directed by (.+?) from year (\d+)", asked)
    page.look()
    for label, value in zip(("genre", "director", "year"), wanted.groups(), strict=True):
        page.fill(field(page, label), value)
    page.click(next(iter(page.all("button") or page.all("generic", "Submit") or page.all("link"))))


@solves("login-user-popup")
def log_in(page: Browser, asked: str) -> None:
    """A window gets in the way; it is closed."""
    name, password = quoted(asked)
    page.look()
    for label, value in (("Username", name), ("Password", password)):
        page.fill(field(page, label), value)
        page.look()
        if away := page.all("button", "Cancel"):
            page.click(away[0])
            page.look()
            page.fill(field(page, label), value)
    page.look()
    page.click(page.find("button"))


@solves("sign-agreement")
def sign(page: Browser, asked: str) -> None:
    if "bottom" in asked:
        page.run("scroll", "#area textarea", "bottom")
    page.look()
    if name := re.search(r'the name "([^"]*)"', asked):
        page.fill(field(page, "Name"), name[1])
    wanted = "Cancel" if "cancel" in asked.lower() else "Agree"
    page.click_button(wanted)


@solves("scroll-text-2")
def scroll(page: Browser, asked: str) -> None:
    page.run("scroll", "#area textarea", "top" if "to the top" in asked else "bottom")
    look_and_submit(page)


@solves("highlight-text", "highlight-text-2")
def highlight(page: Browser, asked: str) -> None:
    place = re.search(r"(\d)\w\w paragraph", asked)
    page.run("select-text", f"#randomText p >> nth={int(place[1]) - 1}" if place else "#randomText")
    look_and_submit(page)


@solves("find-greatest")
def greatest(page: Browser, asked: str) -> None:
    page.look()
    cards = [line for line in page.all("generic") if line.name.isdigit()]
    page.click(max(cards, key=lambda line: int(line.name)))
    submit(page)


@solves("buy-ticket")
def ticket(page: Browser, asked: str) -> None:
    offers = []
    for row in re.findall(r"Duration:\s+(.*?)\s+(Book for \$(\d+))", page.text("#area"), re.S):
        is_price = re.search("cheap|cost|expensive", asked)
        offers.append((int(row[2]) if is_price else minutes(row[0]), row[1]))
    pick = max if re.search("longest|most", asked) else min
    page.look()
    page.click_button(pick(offers)[1])


@solves("order-food")
def order(page: Browser, asked: str) -> None:
    pattern = r'<div class="item-name">(.*?)</div>(.*?)class="add"'
    menu = re.findall(pattern, page.run("html", "#area"), re.S)
    items = [(name.strip(), re.findall(r'title="([^"]+)"', rest)) for name, rest in menu]
    if amount := re.search(r"Order (\d+) items? that (?:are|is|contains?) (.+)", asked):
        kind = amount[2].strip().rstrip(".")
        chosen = [name for name, kinds in items if kind in kinds] * int(amount[1])
        chosen = sorted(chosen[: int(amount[1])])
    else:
        chosen = [name.strip() for name in asked.partition(": ")[2].split(",")]
    for name in chosen:
        page.run("click", f'.food-item:has-text("{name}") .add')
    page.look()
    page.click_button("Order!")
