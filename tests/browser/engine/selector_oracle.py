"""Compare our answers to selectors with Playwright's, on a document of many kinds of elements.

Playwright answers by its console (https://playwright.dev/docs/debug#browser-developer-tools), which resolves many selectors in one call.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.engine.bundle import engine_source

if TYPE_CHECKING:
    from playwright.async_api import Page

DOCUMENT = """<!doctype html><title>Orders of Ann</title><body>
<nav class="top menu" aria-label="Main"><ul><li><a href="#1" id="home" class="on link">Home</a><li><a href="#2" title="Your cart">Cart <b>2</b></a>
<li><a href="#3" data-testid="help">Help me</a><li class="last"><a aria-disabled="true" href="#4">Log out</a></ul></nav>
<main><h1>Orders <small>of Ann</small></h1><h2 id="new-order">New order</h2>
<form class="order" id="1st"><fieldset><legend>Address</legend><label for="city">City</label><input id="city" placeholder="City or Email" title="Where to">
<label>Email <input type="email" disabled value="ann@site.example"></label><span id="hint">Name on the <b>order</b></span><textarea aria-labelledby="hint"></textarea>
<input type="password" aria-label="Sign in"><input type="number" aria-label="Total price" placeholder="1"></fieldset>
<fieldset disabled><label><input type="checkbox" checked> Add to cart</label><label><input type="radio" name="r">Next page</label></fieldset>
<label><input type="checkbox" id="x:1" class="a:b c.d"> Delete</label><label for="size">Size</label>
<select id="size"><option>Apple<option selected>Pear<optgroup label="More"><option disabled>Cherry</optgroup></select>
<input type="submit" value="Save"><input type="button" value="Save all" hidden><button class="btn btn-main">Save</button>
<button type="button" aria-pressed="true">  Save
  <!-- no --> all  </button><button aria-pressed="mixed" title="Save it">×</button><button disabled>Log <i></i>out</button></form>
<div role="tablist"><div role="tab" aria-selected="true" aria-expanded="true">New</div><div role="tab" aria-selected="false">Old</div></div>
<div role="tree"><div role="treeitem" aria-level="1" aria-expanded="false">Apple</div><div role="treeitem" aria-level="2" aria-selected="true">Pear <b>1</b></div></div>
<div role="checkbox" aria-checked="mixed" class="box">Email</div><div role="switch" aria-checked="true">Naïve</div><div role="radio" aria-checked="false" aria-disabled="true">Cherry</div>
<div role="listbox"><div role="option" aria-selected="true">Straße</div><div role="option">café</div></div>
<div role="combobox" aria-expanded="false" aria-label="Find"></div><div role="menuitem">Close it</div><div role="heading" aria-level="3">Total 1</div>
<table class="order rows"><caption>Orders</caption><tr><th>Name<th>Price<th></tr><tr class="on"><td>Apple<td>1<td><button>Delete</button></tr>
<tr aria-selected="true"><td>Pear<td>2<td><button aria-label="Delete Pear">Delete</button></tr></table>
<ul class="cards"><li><div class="card" id="c1"><p>Apple</p><a href="#5">Add to cart</a></div><li><div class="card"><p>Pear <span>new</span> in</p><a href="#6">Add to cart</a></div><li></ul>
<p hidden>Apple hidden</p><p style="display:none">Pear</p><p style="visibility:hidden">Save <b style="visibility:visible">Cherry</b></p><div aria-hidden="true"><button>Save</button></div>
<details><summary>Help</summary><p>Sign in to Log in</p></details><details open><summary aria-expanded="true">More</summary><p>Next</p></details>
<img alt="Apple and Pear" data-testid="fruit"><img alt="" title="Logo"><svg width="9" height="9"><title>Close</title><circle r="4"></circle></svg>
<x-card id="card" class="card"><template shadowrootmode="open"><h3>Card of <slot name="who"></slot></h3><button class="btn">Save</button><label>City <input></label>
<x-card class="inner"><template shadowrootmode="open"><p>Deep <slot></slot></p><a href="#7" data-testid="deep">Help me</a></template>Apple <b>Cherry</b></x-card><slot></slot></template>
<span slot="who">Ann</span>Add it <button aria-label="Close it">×</button></x-card>
<section aria-label="Footer"><article><h3>Next <em>page</em></h3><div><div><span>Previous</span></div></div></article><p>Sign in, please.</p>Email</section></main>"""
"""Forms, lists, tables, shadow trees and widgets by ARIA; the same words and classes at several places, and hidden."""
Sought = tuple[str, list[Any]]
"""A selector as typed, and what Playwright's console is asked for it: a method's name and its arguments."""


@dataclass
class Difference:
    """A selector that the two answer otherwise."""

    selector: str
    ours: list[str] | str
    theirs: list[str] | str
    only: list[dict[str, Any]] = field(default_factory=list)
    """What either says of the elements that only one of them finds."""

    def __str__(self) -> str:
        return f"{self.selector}\n  ours   {self.ours}\n  theirs {self.theirs}"


async def load(page: "Page") -> None:
    """Show the document, with our engine beside Playwright's console."""
    await page.set_content(DOCUMENT, wait_until="domcontentloaded")
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


async def differences(page: "Page", sought: list[Sought]) -> list[Difference]:
    """Return the selectors that the two resolve differently, in elements or in their order."""
    return [Difference(**found) for found in await page.evaluate(_COMPARE, sought)]


async def reason_for(page: "Page", difference: Difference) -> str:
    """Return why a difference is intended, in the selector or before one of its `>>`; "" if it is not."""
    chain = re.sub(r"\A\*(?=\w+=)", "", difference.selector).split(" >> ")
    for end in range(1, len(chain)):
        beginning = " >> ".join(chain[:end])
        for earlier in await differences(page, [(beginning, ["$$", beginning])]):
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
    """Return distinct selectors about the document, at most `number`."""
    maker = SelectorMaker(await page.evaluate(_PIECES), chance)
    return list(dict(maker.make() for _ in range(number)).items())


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


_SOUGHT_ROLES = ["button", "link", "textbox", "checkbox", "heading", "listitem", "cell", "img", "nothing"]
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
