"""Test roles and names by html-aam, svg-aam, wai-aria 1.3 and accname 1.2, in our own words.

Where Chromium's tree says something else docs/decisions/0019-roles-and-names-follow-the-specifications.md says why.
"""

import json

import pytest

from gstack_browse.browser.engine.messages import evaluate
from tests.browser.conftest import Show

pytestmark = pytest.mark.same_session

NOWHERE = "aria-activedescendant='' aria-controls='' aria-describedby='' aria-details='' aria-errormessage='' aria-labelledby='' aria-owns=''"
ROLES = [
    # landmarks
    ("<main><aside t>x</aside></main>", "complementary", ""),
    ("<article><aside t>x</aside></article>", "", ""),
    ("<nav><aside t aria-label=Notes>x</aside></nav>", "complementary", "Notes"),
    ("<section t aria-labelledby=white>x</section>", "", ""),
    ("<section t aria-labelledby=words>x</section>", "region", "Some words"),
    ("<div role=region t aria-label=' '>x</div>", "", ""),
    ("<header t>x</header>", "banner", ""),
    ("<article><header t>x</header></article>", "sectionheader", ""),
    ("<main><footer t>x</footer></main>", "sectionfooter", ""),
    ("<div role=sectionheader t>x</div>", "sectionheader", ""),
    ("<div role=doc-pageheader t>x</div>", "doc-pageheader", ""),
    # words for the same
    ("<div role=directory t><div role=listitem>x</div></div>", "list", ""),
    ("<div role=image t aria-label=Map></div>", "img", "Map"),
    # lists
    ("<dir t><li>x</li></dir>", "list", ""),
    ("<x-list><li t>x</li></x-list>", "listitem", ""),
    ("<ul><div><div><li t>x</li></div></div></ul>", "listitem", ""),
    ("<section><li t>x</li></section>", "", ""),
    ("<ul role=none><li t>x</li></ul>", "", ""),
    ("<p role=listitem t>x</p>", "paragraph", ""),
    ("<x-list><div role=listitem t>x</div></x-list>", "listitem", ""),
    # parts of widgets that are in none
    ("<div role='option navigation' t>x</div>", "navigation", ""),
    ("<div role='menuitem button' t>x</div>", "button", "x"),
    ("<div role='menuitem unheard-of' t>x</div>", "menuitem", "x"),
    ("<button role=treeitem t>x</button>", "button", "x"),
    ("<nav role=option t>x</nav>", "navigation", ""),
    ("<div role=tree><button role=treeitem t>x</button></div>", "treeitem", "x"),
    ("<div role=tree aria-owns=owned>y</div><button id=owned role=treeitem t>x</button>", "treeitem", "x"),
    ("<div role=option t>x</div>", "option", "x"),
    # what the arrow keys move through
    ("<div focusgroup=toolbar t><button>x</button></div>", "toolbar", ""),
    ("<x-bar focusgroup='wrap MENUBAR' t></x-bar>", "menubar", ""),
    ("<div focusgroup=wrap t></div>", "", ""),
    ("<div focusgroup=menu role=toolbar t></div>", "toolbar", ""),
    ("<div focusgroup=tablist><button t>x</button></div>", "tab", "x"),
    ("<div focusgroup=tablist><p><span tabindex=0 t>x</span></p></div>", "tab", "x"),
    ("<div focusgroup=radiogroup><button aria-haspopup=menu t>x</button></div>", "radio", "x"),
    ("<div focusgroup=radiogroup><input type=button value=x t></div>", "radio", "x"),
    ("<div focusgroup=listbox><b tabindex=0 t>x</b></div>", "option", "x"),
    ("<div focusgroup=menu><button role=none t>x</button></div>", "menuitem", "x"),
    ("<div focusgroup=menu><button role=link t>x</button></div>", "link", "x"),
    ("<div focusgroup=menu><button disabled t>x</button></div>", "button", "x"),
    ("<div focusgroup=menu><button tabindex=-1 t>x</button></div>", "button", "x"),
    ("<div focusgroup=menu><button aria-pressed=true t>x</button></div>", "button", "x"),
    ("<div focusgroup=menu><p tabindex=0 t>x</p></div>", "paragraph", ""),
    ("<div focusgroup=menu><div focusgroup=toolbar><button t>x</button></div></div>", "button", "x"),
    ("<div focusgroup=menu><dialog open><button t>x</button></dialog></div>", "menuitem", "x"),
    # elements that ask for a permission, where Chromium knows them
    ("<geolocation t></geolocation>", "button", ""),
    # images
    ("<img t src=x alt='' title=Tip>", "", ""),
    ("<img t src=x alt='' aria-label=Logo>", "img", "Logo"),
    ("<img t src=x title=Tip>", "img", "Tip"),
    ("<figure><img t src=x><figcaption>Sales</figcaption></figure>", "img", "Sales"),
    ("<figure><img t src=x>Words<figcaption>Sales</figcaption></figure>", "img", ""),
    ("<figure t title=Chart>x<figcaption>Sales</figcaption></figure>", "figure", "Chart"),
    # pictures drawn in the page
    ("<svg><circle t r=9><title>Dot</title></circle></svg>", "graphics-symbol", "Dot"),
    ("<svg><path t d='M0 0L9 9'/></svg>", "", ""),
    ("<svg><g t><title>Axis</title><path d='M0 0L9 9'/></g></svg>", "group", "Axis"),
    ("<svg><g t><title> </title></g></svg>", "", ""),
    ("<svg><image t aria-label=Photo /></svg>", "img", "Photo"),
    ("<svg><use t aria-label=Part /></svg>", "graphics-object", "Part"),
    # fields
    ("<input type=checkbox switch t aria-label=Night>", "switch", "Night"),
    *(
        (f"<input type={kind} t aria-label=Field value=1>", role, "Field")
        for kind, role in (
            ("email", "textbox"), ("password", "textbox"), ("search", "searchbox"), ("number", "spinbutton"), ("range", "slider"), ("date", "textbox"),
            ("color", "button"), ("checkbox", "checkbox"), ("radio", "radio"), ("file", "button"), ("submit", "button"), ("image", "button"),
        )
    ),
    ("<textarea t aria-label=Field></textarea>", "textbox", "Field"),
    ("<input type=email list=l t aria-label=Field><datalist id=l><option>1</datalist>", "combobox", "Field"),
    ("<select t aria-label=Field><option>1</select>", "combobox", "Field"),
    ("<select t aria-label=Field multiple><option>1</select>", "listbox", "Field"),
    ("<select t aria-label=Field size=3><option>1</select>", "listbox", "Field"),
    ("<details><summary t>More</summary>x</details>", "button", "More"),
    # dialogs are called by what they begin with
    ("<div role=dialog t><h2>Delete the file?</h2><p>x</p></div>", "dialog", "Delete the file?"),
    ("<div role=dialog t aria-label=Mine><h2>Other</h2></div>", "dialog", "Mine"),
    ("<div role=dialog t><h2 hidden>Other</h2></div>", "dialog", ""),
    # white space
    ("<button t>Save<span> </span>all</button>", "button", "Save all"),
    ("<button t>Save<span>&nbsp;</span>all</button>", "button", "Save all"),
    ("<button t>Save<span title=Tip> </span>all</button>", "button", "SaveTipall"),
    # pictures of an icon font
    ("<button t title=Find>&#xe8b6;</button>", "button", "Find"),
    ("<a href=# t><i>&#xf015;</i> Home</a>", "link", "Home"),
    ("<button t class=icon title=Find></button>", "button", "Find"),
    # labels
    ("<input type=checkbox id=own><label for=own>Own</label><button t aria-labelledby=own></button>", "button", "Own"),
    ("<label role=presentation>Label <input t></label>", "textbox", "Label"),
    ("<label>Flash <span role=combobox tabindex=0 aria-label=n>3</span> times <input type=checkbox t></label>", "checkbox", "Flash 3 times"),
    ("<h3 t><a href=# aria-labelledby=pic>one</a> <a href=#>two <img id=pic alt=picture src=x> three</a></h3>", "heading", "picture two three"),
    ("<abbr t title='Hypertext'>HTML</abbr>", "", "Hypertext"),
    # references to nothing
    (f"<input t role=combobox aria-label=Named aria-invalid=true {NOWHERE}>", "combobox", "Named"),
    (f"<button t {NOWHERE}>Pressed</button>", "button", "Pressed"),
    # what aria-owns moves
    ("<a href=# t aria-owns=moved>Standards </a><p>Here <b id=moved>(new window)</b></p>", "link", "Standards (new window)"),
    ("<h4 t>Left <b id=taken>behind</b></h4><div role=group aria-owns=taken></div>", "heading", "Left"),
    ("<h4 t>Still <b id=stays>here</b></h4><div hidden aria-owns=stays></div>", "heading", "Still here"),
    ("<button t aria-owns=play><span aria-hidden=true><b id=play>Play</b><b>Pause</b></span></button>", "button", "Play"),
]  # fmt: skip
"""A piece of markup, and the role and the name of its element with `t`."""

PAGE = """<!doctype html><meta charset=utf-8><style>.icon::before{content:'\\f002'}</style>
<span id=white> </span><span id=words>Some <b>words</b></span>"""


async def test_roles_and_names(show: Show) -> None:
    tab = await show(PAGE + "".join(f"<div>{markup}</div>" for markup, _, _ in ROLES))
    context = await tab.world.frames.main_context()
    await tab.world.call("measurePage")
    asked = "[...document.querySelectorAll('[t]')].map((e) => [__gbrowse.roleOf(e), __gbrowse.nameOf(e)])"
    answers = (await evaluate(context, asked, by_value=True))["value"]
    told = {markup: (role, name) for (markup, _, _), (role, name) in zip(ROLES, answers, strict=True)}
    assert told == {markup: (role, name) for markup, role, name in ROLES}


TREES = {
    "a label on a slot names nothing": (
        """<x-b>light</x-b><script>document.querySelector('x-b').attachShadow({mode:'open'}).innerHTML = '<button>in <slot aria-label=label></slot></button>'</script>""",
        ["button in light"],
    ),
    "a label of a custom element names the field in it": (
        """<label>Agree <x-tick></x-tick></label><script>customElements.define('x-tick', class extends HTMLElement {
        static formAssociated = true;
        constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<input type=checkbox>' }
        })</script>""",
        ["checkbox Agree"],
    ),
    "focusgroup reaches into shadow trees and not into the top layer": (
        """<x-menu><template shadowrootmode=open><div focusgroup=menu><slot></slot><button>Own</button></div></template>
        <button>Slotted</button></x-menu><div focusgroup=tablist><x-group><template shadowrootmode=closed><button>Inner</button></template></x-group>
        <div popover id=pop><button>Above</button></div></div><div focusgroup=menu popover=manual id=menu><button>Copy</button></div>
        <iframe srcdoc="<div focusgroup=menu><button>Framed</button></div>"></iframe>
        <script>pop.showPopover(); menu.showPopover()</script>""",
        ["menuitem Slotted", "menuitem Own", "tab Inner", "button Above", "menuitem Copy", "menuitem Framed"],
    ),
    "references lead where a shadow tree or a script says": (
        """<x-words id=words><template shadowrootmode=closed shadowrootreferencetarget=inner>not this
        <span id=inner>Words <slot></slot></span></template>here</x-words><button aria-labelledby=words></button>
        <x-none id=none><template shadowrootmode=open shadowrootreferencetarget=nowhere>x</template></x-none><button aria-labelledby=none>Own</button>
        <label for=outer>A</label><x-outer id=outer><template shadowrootmode=open shadowrootreferencetarget=middle><label for=middle>B</label>
        <x-middle id=middle><template shadowrootmode=open shadowrootreferencetarget=field><label for=field>C</label><input id=field></template></x-middle>
        <label for=middle>D</label></template></x-outer><label for=outer>E</label>
        <label>Around <x-field><template shadowrootmode=open shadowrootreferencetarget=field><input id=field value=3></template></x-field> it</label>
        <b id=set>Set by a script</b><button id=reflects></button>
        <script>document.querySelector('#reflects').ariaLabelledByElements = [document.querySelector('#set')]</script>""",
        ["button Words here", "button Own", "textbox A B C D E", "textbox Around it", "button Set by a script"],
    ),
    "counters in generated content": (
        """<style>body{counter-reset:part} h2{counter-increment:part;counter-reset:step} h3{counter-increment:step}
        h2::before{content:counter(part, upper-roman) ". "} h3::before{content:counter(part) "." counter(step) ": "}
        a::before{counter-set:given 51;content:"" / counter(given)} b{counter-increment:item} ol,li{counter-reset:item}
        ol li::before{counter-increment:item;content:none} button::after{content:counters(item, ".")}</style>
        <h2>One</h2><h3>First</h3><h3>Second</h3><section><h2>Two</h2><h3>Third</h3></section><a href=#>Set</a>
        <div style='counter-reset:item 4'><p style='counter-reset:item'><b></b><b></b><button>Nested</button></p></div>""",
        ["heading I. One", "heading 1.1: First", "heading 1.2: Second", "heading II. Two", "heading 2.1: Third", "link 51 Set", "button Nested 4.2"],
    ),
    "internals that a page has tampered with run nothing": (
        """<script>var seen = 0; Object.defineProperty(ElementInternals.prototype, 'role', {get() { seen++; return 'button' }})</script>
        <x-a>One</x-a><script>customElements.define('x-a', class extends HTMLElement { i = this.attachInternals() })</script>""",
        ["text One"],
    ),
}  # fmt: skip


async def test_names_in_trees_that_shadow_roots_and_scripts_make(show: Show) -> None:
    told = {}
    for what, (page, lines) in TREES.items():
        tab = await show(page)
        tree = await tab.tree()
        every = [f"{role} {name}" for role, name in zip(tree.roles, tree.names, strict=True) if name]
        told[what] = [line for line in every if line in lines or not line.startswith("text")]
    assert told == {what: lines for what, (_, lines) in TREES.items()}
    assert await tab.page.evaluate("seen") == 0


INTERNALS = """<x-check>Agree</x-check><x-check role=switch>Own</x-check><x-tab>One</x-tab>
<x-local>Agree</x-local><x-below>Mine</x-below><x-labelled></x-labelled><x-menu>More</x-menu><x-plain>Nothing</x-plain><x-bare>Bare</x-bare><script>
customElements.define('x-check', class extends HTMLElement { #own = this.attachInternals();
  constructor() { super(); this.#own.role = 'checkbox'; this.#own.ariaChecked = 'false'; this.onclick = () => this.#own.ariaChecked = 'true' } });
const key = Symbol('internals'), kept = new WeakMap();
customElements.define('x-tab', class extends HTMLElement { constructor() { super(); this[key] = this.attachInternals();
  Object.assign(this[key], { role: 'tab', ariaSelected: 'true', ariaLabel: 'First' }); this.attachShadow({mode: 'open'}).innerHTML = '<slot></slot>' } });
customElements.define('x-local', class extends HTMLElement { constructor() { super(); const own = this.attachInternals();
  own.role = 'checkbox'; own.ariaChecked = 'false'; this.onclick = () => own.ariaChecked = 'true' } });
class Above extends HTMLElement { constructor() { super(); const own = this.attachInternals(); own.role = 'tab'; own.ariaSelected = 'true' } }
customElements.define('x-below', class extends Above {});
customElements.define('x-labelled', class extends HTMLElement { constructor() { super(); kept.set(this, this.attachInternals());
  Object.assign(kept.get(this), { role: 'slider', ariaLabel: 'Size', ariaValueNow: '3', ariaValueMax: '5' }) } });
customElements.define('x-plain', class extends HTMLElement {});
customElements.define('x-menu', class extends HTMLElement { constructor() { super(); const own = this.attachInternals(); own.role = 'button'; own.ariaHasPopup = 'menu' } });
customElements.define('x-bare', class extends HTMLElement { constructor() { super(); const own = this.attachInternals() } });
</script>"""


async def test_roles_and_states_in_element_internals_are_listed(show: Show) -> None:
    """Ask Chromium for those that a page keeps in a variable."""
    tab = await show(INTERNALS)

    async def told() -> list[tuple[str, str, str]]:
        tree = await tab.tree()
        return [(tree.roles[line], tree.names[line], tree.states.get(line, "")) for line in range(len(tree))]

    assert await told() == [
        ("checkbox", "Agree", ""), ("switch", "Own", ""), ("tab", "First", "selected"),
        ("checkbox", "Agree", ""), ("tab", "Mine", "selected"), ("slider", "Size", "min=0, max=5"),
        ("button", "More", "popup=menu"), ("text", "NothingBare", ""),
    ]  # fmt: skip
    for name, line in (("x-check", 0), ("x-local", 3)):
        await tab.page.evaluate(f"document.querySelector('{name}').click()")
        assert (await told())[line] == ("checkbox", "Agree", "checked")
    await tab.page.evaluate("document.body.append(document.createElement('x-check'))")
    assert (await told())[-1] == ("checkbox", "", "")


CASES = {
    # accname 1.2: labelledby, chains, self references
    "labelledby chain stops after one": ('<span id=a aria-labelledby=b>A</span><span id=b>B</span><button id=t aria-labelledby=a>x</button>', "A"),
    "labelledby in the order of its ids": ('<h2 id=a>Files</h2><a id=t href=# aria-label="Delete" aria-labelledby="t a">x</a>', "Delete Files"),
    "labelledby of a hidden element": ("<span id=a style='display:none'>Hidden <b>too</b></span><button id=t aria-labelledby=a></button>", "Hidden too"),
    "labelledby leaves out what is hidden in a visible one": ("<span id=a>Seen<i hidden>not</i></span><button id=t aria-labelledby=a></button>", "Seen"),
    "labelledby of what it is a part of": ("<div role=treeitem id=t><span role=checkbox aria-labelledby=t></span>Leaf</div>", "Leaf"),
    # embedded controls
    "checkbox label with a textbox": ("<input type=checkbox id=t><label for=t>Flash the screen <input value=3 aria-label=n> times</label>", "Flash the screen 3 times"),
    "checkbox label with a select": ("<input type=checkbox id=t><label for=t>Flash <select><option>1<option selected>5</select> times</label>", "Flash 5 times"),
    "checkbox label with a slider": ("<input type=checkbox id=t><label for=t>Flash <span role=slider aria-valuetext=Monster aria-valuenow=9>x</span> times</label>", "Flash Monster times"),
    "checkbox label with a gauge": ("<input type=checkbox id=t><label for=t>Full <progress value=.5>half</progress></label>", "Full 0.5"),
    "a field among its own labels is no value": ("<span id=s>Size</span><input type=range id=t value=3 aria-label=Pick aria-labelledby='t s'>", "Pick Size"),
    "a button around a file field": ("<a role=button id=t href=#><input type=file></a>", "Choose File"),
    "a password in a label stays one": ("<input type=checkbox id=t><label for=t>Keep <input type=password value=hunter2></label>", "Keep"),
    "the field keeps words of its label apart": ("<style>label::before{content:'Pay'}</style><label><input type=checkbox id=t>now</label>", "Pay now"),
    "a field that is not rendered does not": ("<label>Up<input type=file id=t style='display:none'>load</label>", "Upload"),
    "a menu in a label is no part of it": ("<input type=checkbox id=t><label for=t>Flash <span role=menu><b role=menuitem>1</b></span> times</label>", "Flash times"),
    "a picture that is decoration has no tooltip": ("<a id=t href=#>My <img src=x alt='' role=presentation title=Tip> name</a>", "My name"),
    "a picture without words has": ("<a id=t href=#><img src=x alt='' title=Tip></a>", "Tip"),
    "the field itself is not part of its label": ("<label>First <input id=t value=Ann> name</label>", "First name"),
    # content
    "inline pieces are glued, blocks are not": ("<button id=t>on<b>e</b><div>two</div>three</button>", "one two three"),
    "generated content": ("<style>#t::before{content:'→ '}#t::after{content:' !'}</style><a id=t href=#>go</a>", "→ go !"),
    "generated alternative text": ("<style>#t::before{content:url(x.png) / 'New ';}</style><a id=t href=#>go</a>", "New go"),
    "a generated backslash before an alternative": (r"""<style>#t::before{content:"\\\\" / "next "}</style><a id=t href=#>go</a>""", "next go"),
    "a generated break": (r"""<style>#t::before{content:"one\A two "}</style><a id=t href=#>go</a>""", "one two go"),
    "a generated picture says nothing": ("<style>#t::before{content:url(\"data:image/svg+xml,<svg a='1'></svg>\")}</style><a id=t href=#>go</a>", "go"),
    "hidden generated content": ("<style>label::after{content:':';visibility:hidden} a::before{content:'x';display:none}</style><label for=t>Name</label><input id=t>", "Name"),
    "quotation marks": ("<button id=t>Say <q>hi</q></button>", "Say “hi”"),
    "text as it is shown": ("<style>.u{text-transform:uppercase}</style><button id=t class=u>Log out <i style='text-transform:none'>now</i></button>", "LOG OUT now"),
    "capitals are inherited": ("<div style='text-transform:capitalize'><x-b></x-b></div><script>document.querySelector('x-b').attachShadow({mode:'open'}).innerHTML='<a id=t href=#>go home</a>'</script>", "Go Home"),
    "a label is told as it is written": ("<style>.u{text-transform:uppercase}</style><button id=t class=u aria-label='Log out'>x</button>", "Log out"),
    "svg title": ("<button id=t><svg width=9 height=9><title>Close</title></svg></button>", "Close"),
    "aria-hidden content is left out": ("<button id=t><span aria-hidden=true>×</span> Close</button>", "Close"),
    "visibility hidden with a visible child": ("<button id=t><span style='visibility:hidden'>a<i style='visibility:visible'>b</i></span></button>", "b"),
    "display contents": ("<button id=t><span style='display:contents'>a</span>b</button>", "ab"),
    "br is a blank": ("<button id=t>one<br>two</button>", "one two"),
    "slotted text": ("<x-b>light</x-b><script>const r=document.querySelector('x-b').attachShadow({mode:'open'});r.innerHTML='<button id=t>in <slot></slot></button>'</script>", "in light"),
    # html-aam
    "label for": ("<label for=t>Name</label><input id=t>", "Name"),
    "label before title and placeholder": ("<label>L <input id=t title=T placeholder=P></label>", "L"),
    "submit without a value": ("<input id=t type=submit>", "Submit"),
    "image button": ("<input id=t type=image src=x alt=Find>", "Find"),
    "fieldset legend": ("<fieldset id=t><legend>Size <b>now</b></legend><input></fieldset>", "Size now"),
    "table caption": ("<table id=t><caption>Sales</caption><tr><th>a<td>b</table>", "Sales"),
    "editable by its placeholder": ("<div role=textbox id=t contenteditable aria-placeholder=Reply></div>", "Reply"),
    "option": ("<select><option id=t label=Small>s</select>", "Small"),
    "optgroup": ("<select><optgroup id=t label=Group><option>o</select>", "Group"),
    "summary": ("<details><summary id=t>More</summary>x</details>", "More"),
    "iframe title": ("<iframe id=t title='Ad'></iframe>", "Ad"),
    "content before title": ("<a id=t href=# title=Tip>Text</a>", "Text"),
    "area alt": ("<map name=m><area id=t href=# alt=North shape=rect coords=0,0,9,9></map><img usemap=#m src=x>", "North"),
    "tab with a close button": ("<div role=tablist><div role=tab id=t>File <button aria-label=Close>×</button></div></div>", "File Close"),
    "radio group by labelledby": ("<p id=p>Pick</p><div role=radiogroup id=t aria-labelledby=p></div>", "Pick"),
    "paragraphs have no name": ("<p id=t title=x>words</p>", ""),
}  # fmt: skip
"""The examples of the specifications: what is called how, its markup, and the name of the element with `id=t`, alone in a page."""

NAMES = """(cases) => {
  const find = (root) => {
    for (const one of root.querySelectorAll('*')) {
      const found = one.id === 't' ? one : one.shadowRoot && find(one.shadowRoot);
      if (found) return found;
    }
  };
  return cases.map((markup) => {
    document.body.replaceChildren(document.createRange().createContextualFragment(markup));
    __gbrowse.invoke('measurePage', []);
    return __gbrowse.nameOf(find(document));
  });
}"""


async def test_accessible_name_is_that_of_the_specification(show: Show) -> None:
    """Put each case alone into the page: their rules and ids are the same ones."""
    tab = await show("<p>Empty")
    await tab.world.load_engine()
    context = await tab.world.frames.main_context()
    markup = json.dumps([markup for markup, _ in CASES.values()])
    found = await evaluate(context, f"({NAMES})({markup})", by_value=True)
    names = dict(zip(CASES, found["value"], strict=True))
    assert names == {case: name for case, (_, name) in CASES.items()}


async def test_words_are_told_as_a_rule_shows_them_that_a_script_has_changed(show: Show) -> None:
    tab = await show(
        "<style>p { color: red } @media screen { a { color: blue } }</style><button>Log out</button><a href=#>home</a>"
    )
    for transform, word in (("", "home"), ("uppercase", "HOME"), ("", "home")):
        await tab.page.evaluate(
            f"document.styleSheets[0].cssRules[1].cssRules[0].style.textTransform = '{transform}'"
        )
        assert word in (await tab.tree()).names
