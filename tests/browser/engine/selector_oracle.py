"""Compare our answers to selectors with Playwright's, on test documents and generated ones.

Playwright answers by its console (https://playwright.dev/docs/debug#browser-developer-tools), which resolves many selectors in one call.
"""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.engine.bundle import engine_source

if TYPE_CHECKING:
    from playwright.async_api import Page

ROOT = Path(__file__).parents[3]
DOCUMENTS = sorted(
    path
    for folder in ("tests/evals/sites/static", "tests/e2e/skills/sites", "tests/site")
    for path in ROOT.glob(f"{folder}/**/*.html")
    if path.name != "stuck.html"  # which never ends
)
MOST_PIECES = 40
"""Elements of a document that selectors are made about."""
Sought = tuple[str, list[Any]]
"""A selector as typed, and what Playwright's console is asked for it: a method's name and its arguments."""


@dataclass
class Difference:
    """A selector that the two answer otherwise."""

    document: str
    selector: str
    ours: list[str] | str
    theirs: list[str] | str
    only: list[dict[str, Any]] = field(default_factory=list)
    """What either says of the elements that only one of them finds."""

    def __str__(self) -> str:
        return f"{self.document}: {self.selector}\n  ours   {self.ours}\n  theirs {self.theirs}"


async def load(page: "Page", markup: str) -> None:
    """Show a document, with our engine beside Playwright's console."""
    await page.goto("about:blank")
    await page.set_content(markup, wait_until="domcontentloaded")
    exposed = "globalThis.__resolve = resolveAsWritten; globalThis.__said = (e) => [roleOf(e), nameOf(e), isHidden(e)];"
    head, end, tail = engine_source().rpartition("})();")
    await page.evaluate("(source) => { (0, eval)(source) }", head + exposed + end + tail)


_PIECES = """() => {
  const all = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  return all(document).filter((e) => !e.closest('head,script,style')).map((e) => ({
    tag: e.localName, id: e.getAttribute('id') || '', classes: [...e.classList], parent: e.parentElement?.localName || '',
    before: e.previousElementSibling?.localName || '', inside: e.firstElementChild?.localName || '',
    attributes: Object.fromEntries([...e.attributes].map((a) => [a.name, a.value.slice(0, 60)])),
    words: e.textContent.trim().slice(0, 60), run: [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.nodeValue.trim()).find(Boolean) || '',
    label: (e.labels?.[0]?.textContent || '').trim(), said: __said(e),
  }))
}"""

_COMPARE = """(sought) => {
  const look = (e) => `<${e.localName}${e.id ? '#' + e.id : ''}${[...e.classList].map((c) => '.' + c).join('')}> ${(e.getAttribute('aria-label') || e.textContent).trim().slice(0, 40)}`;
  const answer = (ask) => { try { return ask() } catch (error) { return 'refused' } };
  const found = [];
  for (const [selector, [method, ...args]] of sought) {
    const ours = answer(() => __resolve(selector).found);
    const theirs = answer(() => method === '$$' ? playwright.$$(args[0]) : (args[0] ? playwright.locator(args[0]) : playwright)[method](args[1], { exact: args[2] }).elements);
    const same = ours === theirs || Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length && ours.every((e, i) => e === theirs[i]);
    if (same) continue;
    const lists = Array.isArray(ours) && Array.isArray(theirs);
    const only = lists ? [...ours.filter((e) => !theirs.includes(e)).map((e) => ['ours', e]), ...theirs.filter((e) => !ours.includes(e)).map((e) => ['theirs', e])] : [];
    found.push({ selector, ours: Array.isArray(ours) ? ours.slice(0, 5).map(look) : ours, theirs: Array.isArray(theirs) ? theirs.slice(0, 5).map(look) : theirs,
      only: only.map(([who, e]) => ({ who, tag: e.localName, markup: e.outerHTML.slice(0, 150), said: __said(e), theirs: playwright.ariaSnapshot(e).split('\\n')[0] })) });
  }
  return found;
}"""


async def differences(page: "Page", document: str, sought: list[Sought]) -> list[Difference]:
    """Return the selectors that the two resolve differently, in elements or in their order."""
    return [Difference(document, **found) for found in await page.evaluate(_COMPARE, sought)]


async def reason_for(page: "Page", difference: Difference) -> str:
    """Return why a difference is intended, in the selector or before one of its `>>`; "" if it is not."""
    chain = re.sub(r"\A\*(?=\w+=)", "", difference.selector).split(" >> ")
    for end in range(1, len(chain)):
        beginning = " >> ".join(chain[:end])
        for earlier in await differences(page, difference.document, [(beginning, ["$$", beginning])]):
            if reason := _own_reason(earlier):
                return reason
    return _own_reason(difference)


def _own_reason(difference: Difference) -> str:
    return next((reason for reason, is_meant in INTENDED.items() if is_meant(difference)), "")


def _found_by_one(difference: Difference, *tags: str) -> bool:
    return bool(difference.only) and all(found["tag"] in tags for found in difference.only)


def _roles_differ(difference: Difference) -> bool:
    """Return whether Playwright's own snapshot has other roles or names for elements found by role."""
    only = difference.only
    return "role=" in difference.selector and bool(only) and all(map(_is_said_otherwise, only))


def _is_said_otherwise(found: dict[str, Any]) -> bool:
    role, name, hidden = found["said"]
    theirs = re.match(r'- ([\w-]+)(?: "(.*?)")?(?: \[|:|$)', found["theirs"])
    is_shown = theirs is not None
    same = theirs is not None and (theirs[1], theirs[2] or "") == (role, name)
    return hidden == is_shown or not same


INTENDED: dict[str, Callable[[Difference], bool]] = {
    "options of closed lists, areas of images and slots are as visible as for `is visible`: one can choose, press or read what is there": lambda it: (
        "visible" in it.selector
        and (_found_by_one(it, "option", "optgroup", "slot", "map", "area") or ":nth-match" in it.selector)
    ),
    "the button of a popover and a <summary> are expanded or not; Playwright reads that of a button from ARIA alone": lambda it: (
        "[expanded" in it.selector and _found_by_one(it, "button", "summary")
    ),
    "the children of <html> are found by `> body`, too; Playwright finds none there": lambda it: (
        re.search(r">> (?::scope )?>|:has\(>", it.selector) is not None
        and _found_by_one(it, "head", "body", "html")
    ),
    ":is() and :where() find elements in the order of their trees, like all CSS": lambda it: (
        re.search(r":(?:is|where)\(", it.selector) is not None and not it.only
    ),
    "roles and names are those that a snapshot prints": _roles_differ,
}
"""Why some answers differ, and of which that is true."""


async def make_selectors(page: "Page", number: int, chance: random.Random) -> list[Sought]:
    """Return distinct selectors about the document that is shown, fewer if there is little in it."""
    pieces = await page.evaluate(_PIECES)
    if not pieces:
        return []
    chosen = chance.sample(pieces, min(len(pieces), MOST_PIECES))
    maker, found = SelectorMaker(chosen, chance), dict[str, list[Any]]()
    for _ in range(number * 3):
        if len(found) >= number:
            break
        selector, asked = maker.make()
        found[selector] = asked
    return list(found.items())


class SelectorMaker:
    """Makes selectors about elements of a document, and near misses."""

    def __init__(self, pieces: list[dict[str, Any]], chance: random.Random) -> None:
        self._pieces = pieces
        self._chance = chance
        self._kinds = [self._css] * 4 + [self._pseudo] * 3 + [self._text] * 4 + [self._role] * 5
        self._kinds += [self._field] * 3 + [self._xpath, self._chain, self._chain, self._chain]

    def make(self) -> Sought:
        made = self._chance.choice(self._kinds)()
        return made if isinstance(made, tuple) else (made, ["$$", made])

    def _piece(self) -> dict[str, Any]:
        return self._chance.choice(self._pieces)

    def _compound(self) -> str:
        piece, chance = self._piece(), self._chance
        ways = [piece["tag"], "*"]
        if piece["id"]:
            ways.append(f"#{_identifier(piece['id'])}")
        if piece["classes"]:
            ways.append(f".{_identifier(chance.choice(piece['classes']))}")
            ways.append(piece["tag"] + "".join(f".{_identifier(name)}" for name in piece["classes"]))
        for name, value in piece["attributes"].items():
            if re.fullmatch(r"[\w-]+", name):
                how = chance.choice(["", "=", "^=", "$=", "*=", "~="])
                there = "" if how else f"{chance.choice([piece['tag'], ''])}[{name}]"
                ways.append(there or f"[{name}{how}{_string(self._cut(value))}]")
        ways.append(f"{piece['tag']}:{chance.choice(PLACES)}")
        return chance.choice(ways)

    def _cut(self, text: str) -> str:
        start = self._chance.randint(0, len(text) // 2)
        return text[start : self._chance.randint(start, len(text))] if self._chance.random() < 0.5 else text

    def _css(self) -> str:
        chance = self._chance
        found = self._compound()
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            found = f"{self._around()}{chance.choice([' ', ' ', ' > ', ' + ', ' ~ ', '>'])}{found}"
        return f"{found}, {self._compound()}" if chance.random() < 0.15 else found

    def _around(self) -> str:
        piece = self._piece()
        return self._chance.choice([piece["parent"] or "body", piece["before"] or "div", self._compound()])

    def _pseudo(self) -> str:
        chance, piece = self._chance, self._piece()
        words, inner = _string(self._vary_words(piece["words"])), self._compound()
        base = chance.choice([piece["tag"], "", self._compound()])
        made = chance.choice(
            [
                f":has-text({words})", f":has-text({words})", f":text({words})", f":text-is({_string(self._vary_words(piece['run']))})",
                f":text-matches({_string(_pattern(self._vary_words(piece['words'])))}, 'i')", ":visible", f":not({inner})", f":is({inner}, {self._compound()})",
                f":has({inner})", f":has(> {piece['inside'] or 'b'})", f":not(:has-text({words}))", f":has(:text({words}))",
                f":has({inner}):visible", f":not({inner}, :visible)", f":where({inner})", ":scope", f":has({inner} > *)",
            ]
        )  # fmt: skip
        if chance.random() < 0.1:
            return f":nth-match({piece['tag']}{made}, {chance.randint(1, 3)})"
        return f"{self._compound()} {base}{made}" if chance.random() < 0.25 else f"{base}{made}"

    def _vary_words(self, text: str) -> str:
        """The words, a part of them, or words that are almost these."""
        chance = self._chance
        text = text or chance.choice(["Save", "no such words", "1"])
        way = chance.randint(0, 9)
        if way < 4:
            return text
        if way == 4:
            return text.swapcase()
        if way == 5:
            return f" {text}  ".replace(" ", "  ")
        if way == 6:
            return text + chance.choice("x .1")
        if way == 7:
            at = chance.randrange(len(text))
            return text[:at] + text[at + 1 :] or "x"
        return self._cut(text).strip() or "x"

    def _text(self) -> Any:
        piece, chance = self._piece(), self._chance
        words = " ".join(self._vary_words(piece[chance.choice(["words", "run"])]).split()) or "x"
        if ">>" in words or words[0] in "\"'/":
            return self._css()
        way = chance.randint(0, 4)
        if way == 0:
            return f"text={words}"
        if way == 1:
            return f"text={_string(words)}"
        if way == 2:
            return _string(words)
        if way == 3:
            return f"text=/{_pattern(words)}/{chance.choice(['', 'i'])}"
        return f"text='{words}'" if "'" not in words and "\\" not in words else f"text={_string(words)}"

    def _role(self) -> str:
        piece, chance = self._piece(), self._chance
        said = [each["said"] for each in self._pieces if each["said"][0]]
        role, name, _ = chance.choice(said) if said else ("button", "Save", False)
        if chance.random() < 0.1:
            role = chance.choice(_SOUGHT_ROLES)
        name = " ".join(self._vary_words(name or piece["words"]).split()) or "x"
        parts = [
            "", f"[name={_string(name)}]", f"[name={_string(name)}]", f"[name={_string(name)} i]", f"[name=/{_pattern(name)}/i]",
            f"[name=/{_pattern(name)}/]", f"[name*={_string(name)}]", f"[name^={_string(name)} i]", f"[name={_string(name)}s]",
        ]  # fmt: skip
        made = f"role={role}{chance.choice(parts)}"
        other = ["[disabled]", "[disabled=false]", "[include-hidden]"]
        return made + chance.choice(["", "", *STATES.get(role, other)])

    def _field(self) -> Any:
        piece, chance = self._piece(), self._chance
        how = chance.choice(["label", "label", "placeholder", "alt", "title", "testid", "id"])
        attributes = piece["attributes"]
        texts = {
            "label": piece["label"] or attributes.get("aria-label", ""), "placeholder": attributes.get("placeholder", ""),
            "alt": attributes.get("alt", ""), "title": attributes.get("title", ""), "testid": attributes.get("data-testid", ""), "id": piece["id"],
        }  # fmt: skip
        how = next((each for each in [how, *texts] if texts[each]), how)
        words = self._vary_words(texts[how])
        if how in ("testid", "id"):
            words = words.strip() or "x"
            return (f"testid={words}", ["$$", f"data-testid={words}"]) if how == "testid" else f"id={words}"
        words = " ".join(words.split()) or "x"
        exact = chance.random() < 0.5
        if words[0] in "\"'" or "\\" in words or '"' in words or ">>" in words:
            return self._css()
        within = self._compound() if chance.random() < 0.2 else ""
        typed = f'{how}="{words}"' if exact else f"{how}={words}"
        return (f"{within} >> {typed}" if within else typed), [METHODS[how], within, words, exact]

    def _xpath(self) -> str:
        piece, chance = self._piece(), self._chance
        word = next(iter(piece["words"].split()), "x").replace("'", "")
        return chance.choice(
            [
                f"//{piece['tag']}", f"xpath=//{piece['tag']}[{chance.randint(1, 3)}]", f"//*[contains(text(), '{word}')]", f"xpath=(//{piece['tag']})[2]",
                f"//{piece['parent'] or 'body'}/{piece['tag']}", f"//*[@id='{piece['id'] or 'a'}']/..", "xpath=/html/body/*", f"//{piece['tag']}[last()]",
            ]
        )  # fmt: skip

    def _chain(self) -> Any:
        chance = self._chance
        first = chance.choice([self._css, self._pseudo, self._text, self._xpath, self._role])()
        last: Any = chance.choice(
            [
                self._css, self._text, self._role, lambda: f"nth={chance.choice([0, 0, 1, 2, -1])}", lambda: f"visible={chance.choice(['true', 'false'])}",
                lambda: "xpath=..", lambda: f"> {self._compound()}", lambda: ":scope > *", lambda: f"css={self._css()}",
            ]
        )()  # fmt: skip
        if not isinstance(first, str) or not isinstance(last, str):
            return self._css()
        can_have_star = re.match(r"(?:text|role|xpath)=", first) and "nth=" not in last
        star = "*" if can_have_star and chance.random() < 0.1 else ""
        made = f"{star}{first} >> {last}"
        return f"{made} >> nth=0" if not star and chance.random() < 0.15 else made


PLACES = ["first-child", "last-child", "nth-child(2)", "nth-of-type(2n+1)", "empty", "checked", "disabled", "only-child"]  # fmt: skip
METHODS = {"label": "getByLabel", "placeholder": "getByPlaceholder", "alt": "getByAltText", "title": "getByTitle"}  # fmt: skip
_YES_OR_NO = ("[{}]", "[{}=true]", "[{}=false]")
STATES = {
    role: [way.format(state) for state in states for way in _YES_OR_NO] + more
    for role, states, more in (
        ("checkbox", ["checked", "disabled"], ["[checked=mixed]"]), ("radio", ["checked"], []), ("switch", ["checked"], []), ("option", ["selected"], []),
        ("tab", ["selected", "expanded"], []), ("row", ["selected"], []), ("button", ["pressed", "disabled", "expanded"], ["[pressed=mixed]"]),
        ("combobox", ["expanded", "disabled"], []), ("textbox", ["disabled"], []), ("heading", [], ["[level=1]", "[level=2]", "[level=3]"]),
        ("treeitem", ["expanded", "selected"], ["[level=1]", "[level=2]"]), ("link", ["disabled"], []),
    )
}  # fmt: skip


def _identifier(name: str) -> str:
    escaped = re.sub(r"[^\w-]", lambda match: f"\\{match[0]}", name)
    return f"\\3{name[0]} {name[1:]}" if name[:1].isdigit() else escaped


def _string(text: str) -> str:
    return '"' + re.sub(r'["\\]', r"\\\g<0>", " ".join(text.split())) + '"'


def _pattern(text: str) -> str:
    return re.sub(r"[^\w ]", ".", " ".join(text.split()))[:20].strip() or "x"


# Documents that are made

_WORDS = [
    *("Save", "Delete", "Apple", "Pear", "Cherry", "New", "order", "Total", "price", "Sign", "in", "Log", "out", "Next", "Previous", "page"),
    *("1", "2", "Email", "Name", "City", "Add", "to", "cart", "Help", "me", "Close", "it", "×", "é", "ß", "naïve"),
]  # fmt: skip


def generated(chance: random.Random) -> str:
    """Return a document of forms, lists, tables, shadow trees and widgets by ARIA."""
    return f"<!doctype html><title>{_some(chance)}</title><body>{''.join(_blocks(chance, 0))}</body>"


def _some(chance: random.Random, most: int = 3) -> str:
    return " ".join(chance.choices(_WORDS, k=chance.randint(1, most)))


def _attributes(chance: random.Random) -> str:
    made = [
        f'id="{chance.choice("abcdefgh")}{chance.randint(0, 9)}"', f'class="{_some(chance, 2).lower()}"', f'title="{_some(chance)}"', "hidden",
        'style="display:none"', 'style="visibility:hidden"', 'aria-hidden="true"', f'data-testid="{chance.choice(_WORDS)}"', f'aria-label="{_some(chance)}"',
    ]  # fmt: skip
    weights = [5, 8, 2, 1, 1, 1, 1, 2, 2]
    return " ".join(dict.fromkeys(chance.choices(made, weights, k=chance.choice([0, 0, 1, 1, 2]))))


def _inline(chance: random.Random) -> str:
    text = _some(chance)
    framed = f"{_some(chance)} <span>{text}</span> {_some(chance)}"
    commented = f"\n  {text}\n <!-- no --> {_some(chance)}"
    return chance.choice([text, text, f"<b>{text}</b>", framed, f"<i></i>{text}", commented])


def _blocks(chance: random.Random, depth: int) -> Iterator[str]:
    for _ in range(chance.randint(1, 4) if depth else 10):
        yield chance.choice(_BLOCKS)(chance, depth)


def _box(chance: random.Random, depth: int) -> str:
    tag = chance.choice(_BOXES)
    if depth > 1:
        return f"<{tag} {_attributes(chance)}>{_inline(chance)}</{tag.split()[0]}>"
    item = "<li>{}</li>" if tag == "ul" else "{}"
    inside = "".join(map(item.format, _blocks(chance, depth + 1)))
    return f"<{tag} {_attributes(chance)}>{inside}</{tag.split()[0]}>"


def _control(chance: random.Random, depth: int) -> str:
    attributes, words = _attributes(chance), _inline(chance)
    state, role = chance.choice(_STATES), chance.choice(_ROLES)
    return chance.choice(
        [
            f"<button {attributes} {state}>{words}</button>", f"<a href='#{chance.randint(1, 9)}' {attributes}>{words}</a>", f"<div role={role} {attributes} {state}>{words}</div>",
            f"<h{chance.randint(1, 4)} {attributes}>{words}</h3>", f"<input type={chance.choice(['submit', 'button'])} value='{_some(chance)}' {attributes}>", f"<img alt='{_some(chance)}' {attributes}>",
        ]
    )  # fmt: skip


def _labelled(chance: random.Random, depth: int) -> str:
    own, words = f"f{chance.randint(0, 10**6)}", _inline(chance)
    kind = chance.choice(["text", "checkbox", "radio", "email", "number", "password"])
    more = f"{chance.choice(['', 'disabled', 'checked'])} placeholder='{_some(chance)}'"
    return chance.choice(
        [
            f"<label for={own}>{words}</label><input type={kind} id={own} {more}>", f"<label>{words}<input type={kind} {more}></label>", f"<input type={kind} aria-label='{_some(chance)}' {more}>",
            f"<span id=l{own}>{words}</span><textarea aria-labelledby=l{own}></textarea>", f"<label>{words} <select><option>{_some(chance)}<option selected>{_some(chance)}</select></label>",
        ]
    )  # fmt: skip


def _table(chance: random.Random, depth: int) -> str:
    cells = ["".join(f"<td>{_inline(chance)}</td>" for _ in range(3)) for _ in range(chance.randint(1, 4))]
    rows = "".join(f"<tr>{each}</tr>" for each in cells)
    return f"<table {_attributes(chance)}><tr>{'<th>Name</th>' * 3}</tr>{rows}</table>"


def _shadow(chance: random.Random, depth: int) -> str:
    inside = "".join(_blocks(chance, depth + 1)) if depth < 2 else _inline(chance)
    return f"<x-card {_attributes(chance)}><template shadowrootmode=open>{inside}<slot></slot></template>{_inline(chance)}</x-card>"


_SOUGHT_ROLES = ["button", "link", "textbox", "checkbox", "heading", "listitem", "cell", "img", "nothing"]
_BOXES = ["div", "div", "section", "article", "nav", "main", "aside", "ul", "fieldset", "form", "details open", "p"]  # fmt: skip
_STATES = [
    "", "", "disabled", "checked", 'aria-checked="true"', 'aria-pressed="true"', 'aria-expanded="false"',
    'aria-expanded="true"', 'aria-disabled="true"', 'aria-selected="true"',
]  # fmt: skip
_ROLES = [
    "button", "checkbox", "switch", "tab", "option", "treeitem aria-level=2", "link", "menuitem",
    "heading aria-level=2", "img", "radio", "combobox", "row",
]  # fmt: skip
_BLOCKS = [_box, _box, _box, _control, _control, _control, _labelled, _labelled, _table, _shadow]
