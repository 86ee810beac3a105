"""Compare our answers to selectors with Playwright's.

Its console (https://playwright.dev/docs/debug#browser-developer-tools) resolves them in one call. The selectors were chosen among thousands that a program had made about the document: each feature
of the syntax is in one that finds nothing, one element and several, as far as there are such.
"""

import re
from typing import Any

import pytest

from gstack_browse.browser.engine.bundle import engine_source

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
SELECTORS = [
    # CSS, with pseudo-classes of ours
    '* :has(:text("Log out"))', "* >> title=Save", "* >> title=a", r"#x\:1", '*, [aria-label="tal"]',
    "*, button >> * ~ th:nth-of-type(2n+1) >> nth=0", ".box ~ form i:empty, li:first-child >> > * >> nth=0", ":has(* > *) >> nth=2 >> nth=0",
    ':has(:text("Apple Cherry")) >> xpath=.. >> nth=0', ":has(> b)", "*:has(label > *) >> xpath=..", ":has(option:disabled) >> div b:only-child",
    ':has-text("Apple hidden") >> visible=false', '*:is([type$="b"], [role*="tree"])', ':not(:has-text("Pear")) >> css=* > *', ':not([href^="#"])',
    ":nth-match(b:where(*), 1)", ':nth-match(span:is([disabled^=""], *), 1)', ':nth-match(th:is(*, *), 3) >> role=button[name="x" i][expanded=false]',
    ':text-is("no such words")', ":where(a:first-child)", '[alt=""] :has(fieldset:checked > *)', '[aria-selected~="true"]', '[data-testid="help"], *',
    '[id~="hint"]', '[placeholder="1"], details:checked', '[placeholder="ty or Emai"] >> label="Save"',
    'article:text-matches("Next pagePrevious", \'i\')', 'b:first-child > table, [value$="Save"]', 'button:text-is("Save")', "details small:empty, *",
    "div:checked, *", "div:has(> b)", "div:only-child + main:checked >> visible=false", "div:where(td)", r"fieldset div ~ #\31 st",
    'h1:text-matches("Close.", \'i\')', r"h3>div:empty >> div input.a\:b.c\.d", 'input:text-matches("Save", \'i\')',
    "li > main + .cards, span:only-child", 'li:disabled:not([href$="#1"], :visible)', 'li:empty div:not(:has-text("Email"))', "p + p >> nth=0",
    "p:not(b:disabled, :visible)", "small:visible", 'span:text-is("Ann")', "td:disabled >> title=Save", "th:has(> b)",
    'ul:first-child :has(:text("Cherry")) >> nth=-1 >> nth=0', "x-card.inner >> label=Total price",
    # XPath
    "//*[@id='a']/..", "//*[@id='c1']/..", "//*[contains(text(), 'Apple')]", "//*[contains(text(), 'x')] >> nth=-1",
    "//*[contains(text(), '×')] >> css=article > slot:nth-of-type(2n+1)", "//div/a >> nth=0", '//div[last()] >> css=[label*=""]>button ~ main, *',
    "//img[last()] >> :scope > *", "//label/input", "//li/a >> role=button[pressed=mixed]", "//main[last()]", "//option", "//slot", "//tbody",
    "xpath=(//div)[2] >> visible=true >> nth=0", 'xpath=(//tr)[2] >> [role$="option"]', "xpath=(//tr)[2] >> css=*", "xpath=//a[1]",
    "xpath=//input[3]", 'xpath=//li[2] >> role=tree[name="plePearChe"s]', r"xpath=/html/body/* >> > #\31 st", "xpath=/html/body/* >> > *",
    'xpath=/html/body/* >> div>* + [class$="r"]',
    # fields, pictures and ids by their words
    'alt="Apple and Pear"', "alt=Apple and Pear", "alt=Save", "id=card", "id=no  such  words", "label:is(*, div:nth-of-type(2n+1)) >> :scope > *",
    'label:not(:has-text("nEXT PAGE")) >> :scope > * >> nth=0', 'label="Delete"', "label=Delete", "label=Main", "placeholder=1", "placeholder=Save",
    "testid=help", "testid=no such words", 'title="Logo"',
    # text
    '"Delete"', '"Home"', '"pEAR 1"', 'text="Ann"', 'text="Help me"', 'text="Pear2Delete1"', "text='Save'", "text='Total 1'", "text='rd'",
    "text=/Cherry/i", "text=/Naïve/i", "text=/Orders of Ann/", "text=/Pear/", "text=/Save/i >> visible=false", "text=/nEW/", "text=/no such words1/i",
    "text=Help me >> role=heading[level=3]", "text=x >> nth=-1 >> nth=0", "text=x >> visible=true",
    # roles
    'role=button[name*="Close it1"][pressed] >> css=p > [open~=""]', 'role=button[name*="Save"][pressed]',
    'role=button[name="Delete Pear1" i][pressed=false]', '*role=button[name=/a/][disabled=false] >> > [title="Save it"]',
    "role=button[name=/dELETE pEAR/i][pressed=false]", 'role=button[name^="Save" i][pressed=false]', "role=button[pressed=mixed]",
    "role=cell[disabled]", 'role=cell[name*="Delete"][disabled=false]', "role=cell[name=/Delete/i]",
    'role=cell[name^="1" i][disabled=false] >> xpath=..', "role=checkbox", "role=checkbox[checked=mixed]",
    'role=checkbox[name="Add to cart"][checked]', 'role=checkbox[name="N"s][checked=false] >> visible=true',
    'role=checkbox[name^="cHERRY" i][checked=mixed]', "role=combobox[disabled=false]", 'role=combobox[name="sIZE"]',
    "role=combobox[name=/Find/][expanded=false]", "role=heading[level=2]", "role=heading[level=3]",
    'role=heading[name*="Next page"][level=2] >> visible=true', "role=heading[name=/xt page/][level=1]", 'role=heading[name^="Next" i][level=3]',
    "role=img[name=/Add to cart/i] >> css=div ~ main ~ *", "role=img[name=/ear/][include-hidden]",
    "role=link[disabled=false] >> css=label:first-child, * >> nth=0", "role=link[disabled=true]",
    'role=link[name="Add to cart" i][disabled] >> :scope > * >> nth=0', "role=link[name=/Add to cart/][disabled=false]",
    "role=listitem[include-hidden] >> :scope > *", 'role=listitem[name^="orde" i]', 'role=nothing[name="oRDERS OF aNN" i][disabled]',
    'role=option[name*="Cherry"][selected=false]', 'role=option[name*="Pear"][selected=true]', "role=option[name=/Pear/i][selected] >> div ~ *",
    "*role=option[name=/café/i][selected=true] >> * + tr:last-child", "role=option[selected=false]", "role=option[selected=true]",
    "role=option[selected]", "role=radio >> xpath=..", 'role=radio[checked=true] >> role=columnheader[name*="Name"][include-hidden]',
    'role=radio[name="Cherry"s][checked=false]', 'role=row[name*="ear"][selected]', 'role=row[name="Apple 1 Delete"s] >> :scope > *',
    "role=row[name=/ear 2 Del/i][selected=false]", 'role=switch[name*="nAÏVE"][checked]', "role=switch[name=/Naïve/][checked=true]", "role=tab",
    "role=tab[expanded=true]", 'role=tab[name="l"s][expanded]', 'role=tab[name^="Ne" i][expanded]', 'role=textbox[name="City" i]',
    'role=textbox[name="City"]', "role=textbox[name=/Emai/i][disabled]", 'role=textbox[name^="Sign in" i][disabled=true] >> nth=2', "role=treeitem",
    'role=treeitem[name="Apple" i][level=1] >> nth=0 >> nth=0', 'role=treeitem[name="ear 1"][expanded=true] >> xpath=..',
]  # fmt: skip
METHODS = {"label": "getByLabel", "placeholder": "getByPlaceholder", "alt": "getByAltText", "title": "getByTitle"}  # fmt: skip
COMPARE = """(sought) => {
  const look = (e) => `<${e.localName}${e.id ? '#' + e.id : ''}> ${(e.getAttribute('aria-label') || e.textContent).trim().slice(0, 40)}`;
  const answer = (ask) => { try { return ask() } catch (error) { return 'refused' } };
  const find = (method, within, words, exact) => (within ? playwright.locator(within) : playwright)[method](words, { exact }).elements;
  return sought.flatMap(([selector, asked]) => {
    const ours = answer(() => __resolve(selector).found);
    const theirs = answer(() => asked.length > 1 ? find(...asked) : playwright.$$(asked[0]));
    if (ours === theirs || Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length && ours.every((e, i) => e === theirs[i])) return [];
    return [[selector, ...[ours, theirs].map((found) => Array.isArray(found) ? found.map(look) : found)]];
  });
}"""


def asked_of_playwright(selector: str) -> list[Any]:
    """Return the question to Playwright's console: the selector, or a method's name and arguments."""
    within, _, last = selector.rpartition(" >> ")
    if found := re.fullmatch(r'(label|placeholder|alt|title)=("?)(.*?)\2', last):
        return [METHODS[found[1]], within, found[3], bool(found[2])]
    return [re.sub(r"^testid=", "data-testid=", selector)]


@pytest.mark.playwright
async def test_selectors_find_what_playwright_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.playwright_browser import playwright_browser

    monkeypatch.setenv("PWDEBUG", "console")
    async with playwright_browser() as browser:
        page = await browser.new_page()
        await page.set_content(DOCUMENT, wait_until="domcontentloaded")
        head, end, tail = engine_source().rpartition("})();")
        engine = f"{head}globalThis.__resolve = resolveAsWritten;{end}{tail}"
        await page.evaluate("(source) => { (0, eval)(source) }", engine)
        sought = [[selector, asked_of_playwright(selector)] for selector in SELECTORS]
        assert await page.evaluate(COMPARE, sought) == []
