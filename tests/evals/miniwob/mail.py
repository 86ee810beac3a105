"""An inbox, and posts of people: what is asked for is in plain language, in many forms."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tests.evals.miniwob.sentences import quoted
from tests.evals.miniwob.solvers import found, solves
from tests.evals.tools.browser import Browser, LostError

DELETE, STAR, REPLY, FORWARD = "delete", "star", "reply", "forward"
STARRED = r"\bstar\b|\bstarred\b|\bim[pi]\w+nt|importance|\bflag|\bmark"
NO_NAMES = frozenset(("Email", "Primary", "Forward", "I"))


@dataclass(frozen=True)
class Wish:
    """Order about a letter."""

    act: str
    sender: str
    to: str = ""
    words: str = ""


def wish(asked: str, senders: Collection[str]) -> Wish:
    """Parse what the sentence wants with a letter of one of these senders. Raises LostError."""
    plain = re.sub(r'"+[^"]*"[" ]*', "", asked)
    named = people(plain, senders)
    origin = next((name for name in named if name in senders), "")
    if not origin:
        raise LostError(f"the sentence names none of {', '.join(senders)}")
    if text := [words for words in quoted(asked) if words.strip()]:
        return Wish(REPLY, origin, words=text[0])
    if not re.search(r"delete|trash", plain, re.I) and re.search(STARRED, plain, re.I):
        return Wish(STAR, origin)
    if len(named) == 1:
        return Wish(DELETE, origin)
    to = receiver(plain, named)
    return Wish(FORWARD, next(name for name in named if name != to), to)


def people(plain: str, senders: Collection[str]) -> list[str]:
    """Return the people named, in order.

    Senders of letters, and other words that begin with a capital within a sentence.
    """
    found = []
    for match in re.finditer(r"\b[A-Z][a-z-]+", plain):
        name = match[0] if match[0] in senders else match[0].removesuffix("s")
        is_first = re.search(r"(^|[.?!] )$", plain[: match.start()])
        is_subject = re.match(r" (?:wants|is waiting|needs|must)\b", plain[match.end() :])
        if name in senders:
            found.append(name)
        elif is_subject or (not is_first and match[0] not in NO_NAMES):
            found.append(match[0])
    return list(dict.fromkeys(found))


def receiver(plain: str, named: Sequence[str]) -> str:
    """Return which of two people is to get the letter."""
    either = f"({'|'.join(map(re.escape, named))})"
    for words in (
        rf"\bto {either}\b",
        rf"\bput {either}\b",
        rf"\bin {either}'s inbox",
        rf"^{either} (?:wants|is waiting|needs|must)\b",
        rf"\b(?:send|forward|give|email|let|sure|want) {either}\b(?!'s)",
    ):
        if match := re.search(words, plain, re.I):
            return match[1]
    return named[-1]


KINDS = (
    "", "-delete", "-forward", "-forward-nl", "-forward-nl-turk", "-important", "-nl-turk", "-noscroll",
    "-reply", "-star-reply",
)  # fmt: skip


@solves(*(f"email-inbox{kind}" for kind in KINDS))
def handle_letter(page: Browser, asked: str) -> None:
    wanted = wish(asked, re.findall(r'class="email-sender">([^<]+)<', page.run("html", "#main")))
    letter = f'.email-thread:has(.email-sender:text-is("{wanted.sender}"))'
    if wanted.act in (DELETE, STAR):
        page.run("click", f"{letter} {'.trash' if wanted.act == DELETE else '.star'}")
        return
    page.run("click", letter)
    page.look()
    if wanted.act == REPLY:
        page.run("click", ".email-reply")
        page.look()
        page.fill(page.find("textbox"), wanted.words)
        page.run("click", "#send-reply")
    else:
        page.run("click", ".email-forward")
        page.look()
        page.fill(page.find("textbox"), wanted.to)
        page.run("click", "#send-forward")


@solves("social-media")
def one_post(page: Browser, asked: str) -> None:
    user = found(r"@\w+", asked)
    button = quoted(asked)[0]
    post = f'.media:has(.username:text-is("{user[0]}"))'
    direct = {"Reply": ".reply", "Retweet": ".retweet", "Like": ".like"}
    if button in direct:
        page.run("click", f"{post} {direct[button]}")
        return
    # The icon has another picture under the pointer: before that is there, a press falls through.
    page.run("hover", f"{post} .more")
    page.settle()
    page.run("click", f"{post} .more")
    page.run("click", f'{post} li:has-text("{button}")')


@solves("social-media-all", "social-media-some")
def several_posts(page: Browser, asked: str) -> None:
    user = found(r"@\w+", asked)
    amount = re.search(r"on (\d+) posts?", asked)
    posts = f'.media:has(.username:text-is("{user[0]}")) .{quoted(asked)[0].lower()}'
    count = int(amount[1]) if amount else int(re.findall(r"\d+", page.run("count", posts))[0])
    for number in range(count):
        page.run("click", f"{posts} >> nth={number}")
    page.look()
    page.click_button("Submit")
