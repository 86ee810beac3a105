"""Test roles and names of many elements on one page.

By html-aam, svg-aam, wai-aria 1.3 and accname, in our own words.

A fact is a piece of markup, and the role and the name of its element with `t`. Where Chromium's tree says something else
docs/decisions/0019-roles-and-names-follow-the-specifications.md says why.
"""

import pytest

from gstack_browse.browser.engine.messages import evaluate
from tests.browser.conftest import Opened, Show

pytestmark = pytest.mark.same_session

ROLES = [
    # landmarks
    ("<main><aside t>x</aside></main>", "complementary", ""),
    ("<article><aside t>x</aside></article>", "", ""),
    ("<nav><aside t aria-label=Notes>x</aside></nav>", "complementary", "Notes"),
    ("<nav><aside t aria-labelledby=white>x</aside></nav>", "", ""),
    ("<section t aria-labelledby=white>x</section>", "", ""),
    ("<section t aria-labelledby=nowhere>x</section>", "", ""),
    ("<section t aria-labelledby=words>x</section>", "region", "Some words"),
    ("<div role=region t aria-label=' '>x</div>", "", ""),
    ("<header t>x</header>", "banner", ""),
    ("<article><header t>x</header></article>", "sectionheader", ""),
    ("<main><footer t>x</footer></main>", "sectionfooter", ""),
    ("<div role=sectionheader t>x</div>", "sectionheader", ""),
    ("<div role=doc-pageheader t>x</div>", "doc-pageheader", ""),
    ("<div role=doc-pagefooter t>x</div>", "doc-pagefooter", ""),
    # words for the same
    ("<div role=directory t><div role=listitem>x</div></div>", "list", ""),
    ("<div role=image t aria-label=Map></div>", "img", "Map"),
    # lists
    ("<dir t><li>x</li></dir>", "list", ""),
    ("<dir><li t>x</li></dir>", "listitem", ""),
    ("<x-list><li t>x</li></x-list>", "listitem", ""),
    ("<ul><x-item><li t>x</li></x-item></ul>", "listitem", ""),
    ("<ul><div><div><li t>x</li></div></div></ul>", "listitem", ""),
    ("<section><li t>x</li></section>", "", ""),
    ("<ul role=none><li t>x</li></ul>", "", ""),
    ("<div role=list><div><div role=listitem t>x</div></div></div>", "listitem", ""),
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
    ("<x-tree><button role=treeitem t>x</button></x-tree>", "treeitem", "x"),
    ("<div role=listbox><div role='option button' t>x</div></div>", "option", "x"),
    ("<div role=option t>x</div>", "option", "x"),
    # what the arrow keys move through
    ("<div focusgroup=toolbar t><button>x</button></div>", "toolbar", ""),
    ("<x-bar focusgroup='wrap MENUBAR' t></x-bar>", "menubar", ""),
    ("<div focusgroup=wrap t></div>", "", ""),
    ("<div focusgroup='menu none' t></div>", "", ""),
    ("<ul focusgroup=menu t></ul>", "list", ""),
    ("<div focusgroup=menu role=toolbar t></div>", "toolbar", ""),
    ("<div focusgroup=menu role=none t></div>", "", ""),
    ("<div focusgroup=tablist><button t>x</button></div>", "tab", "x"),
    ("<div focusgroup=tablist><p><span tabindex=0 t>x</span></p></div>", "tab", "x"),
    ("<div focusgroup=radiogroup><button aria-haspopup=menu t>x</button></div>", "radio", "x"),
    ("<div focusgroup=radiogroup><input type=button value=x t></div>", "radio", "x"),
    ("<div focusgroup=listbox><b tabindex=0 t>x</b></div>", "option", "x"),
    ("<div focusgroup=listbox><button t>x</button></div>", "button", "x"),
    ("<div focusgroup=toolbar><button t>x</button></div>", "button", "x"),
    ("<div focusgroup=menu><button role=none t>x</button></div>", "menuitem", "x"),
    ("<div focusgroup=menu><button role=link t>x</button></div>", "link", "x"),
    ("<div focusgroup=menu><button disabled t>x</button></div>", "button", "x"),
    ("<div focusgroup=menu><button tabindex=-1 t>x</button></div>", "button", "x"),
    ("<div focusgroup=menu><button aria-pressed=true t>x</button></div>", "button", "x"),
    ("<div focusgroup=menu><a href=# t>x</a></div>", "link", "x"),
    ("<div focusgroup=menu><p tabindex=0 t>x</p></div>", "paragraph", ""),
    ("<div focusgroup=menu><b t>x</b></div>", "", ""),
    ("<div focusgroup=menu role=toolbar><button t>x</button></div>", "button", "x"),
    ("<div focusgroup=menu><div focusgroup=toolbar><button t>x</button></div></div>", "button", "x"),
    ("<div focusgroup=menu><div focusgroup=none><button t>x</button></div></div>", "button", "x"),
    ("<div focusgroup=menu><dialog open><button t>x</button></dialog></div>", "menuitem", "x"),
    # elements that ask for a permission, where Chromium knows them
    ("<geolocation t></geolocation>", "button", ""),
    ("<geo-location t></geo-location>", "", ""),
    # images
    ("<img t src=x alt='' title=Tip>", "", ""),
    ("<img t src=x alt='' aria-labelledby=white>", "", ""),
    ("<img t src=x alt='' aria-label=Logo>", "img", "Logo"),
    ("<img t src=x title=Tip>", "img", "Tip"),
    ("<figure><img t src=x><figcaption>Sales</figcaption></figure>", "img", "Sales"),
    ("<figure><img t src=x>Words<figcaption>Sales</figcaption></figure>", "img", ""),
    ("<figure t><img src=x><figcaption>Sales</figcaption></figure>", "figure", ""),
    ("<figure t title=Chart>x<figcaption>Sales</figcaption></figure>", "figure", "Chart"),
    # pictures drawn in the page
    ("<svg><circle t r=9><title>Dot</title></circle></svg>", "graphics-symbol", "Dot"),
    ("<svg><path t aria-label=Route d='M0 0L9 9'/></svg>", "graphics-symbol", "Route"),
    ("<svg><path t d='M0 0L9 9'/></svg>", "", ""),
    ("<svg><g t><title>Axis</title><path d='M0 0L9 9'/></g></svg>", "group", "Axis"),
    ("<svg><g t><title> </title></g></svg>", "", ""),
    ("<svg><image t aria-label=Photo /></svg>", "img", "Photo"),
    ("<svg><use t aria-label=Part /></svg>", "graphics-object", "Part"),
    # fields
    ("<input type=checkbox switch t aria-label=Night>", "switch", "Night"),
    # dialogs are called by what they begin with
    ("<div role=dialog t><h2>Delete the file?</h2><p>x</p></div>", "dialog", "Delete the file?"),
    ("<div role=alertdialog t><div><h3>Sure?</h3></div></div>", "alertdialog", "Sure?"),
    ("<div role=dialog t aria-label=Mine><h2>Other</h2></div>", "dialog", "Mine"),
    ("<div role=dialog t title=Tip><h2>Other</h2></div>", "dialog", "Tip"),
    ("<div role=dialog t><h2 hidden>Other</h2></div>", "dialog", ""),
    # white space
    ("<button t>Save<span> </span>all</button>", "button", "Save all"),
    ("<button t>Save<i><b> </b></i>all</button>", "button", "Save all"),
    ("<button t>Save<span>&nbsp;</span>all</button>", "button", "Save all"),
    ("<button t>5&nbsp;EUR</button>", "button", "5 EUR"),
    ("<button t>Save<span title=Tip> </span>all</button>", "button", "SaveTipall"),
    ("<a href=# t title=Tip><span> </span></a>", "link", "Tip"),
    # pictures of an icon font
    ("<button t title=Find>&#xe8b6;</button>", "button", "Find"),
    ("<button t title=Find><i>&#xf002;</i> </button>", "button", "Find"),
    ("<a href=# t><i>&#xf015;</i> Home</a>", "link", "Home"),
    ("<button t class=icon title=Find></button>", "button", "Find"),
    ("<button t aria-label='&#xe8b6;'>Go</button>", "button", "Go"),
    # labels
    ("<input type=checkbox id=own><label for=own>Own</label><button t aria-labelledby=own></button>", "button", "Own"),
    ("<label>Around <input type=checkbox id=round></label><button t aria-labelledby=round></button>", "button", "Around"),
    ("<label role=presentation>Label <input t></label>", "textbox", "Label"),
    ("<label>Flash <span role=combobox tabindex=0 aria-label=n>3</span> times <input type=checkbox t></label>", "checkbox", "Flash 3 times"),
    ("<h3 t><a href=# aria-labelledby=pic>one</a> <a href=#>two <img id=pic alt=picture src=x> three</a></h3>", "heading", "picture two three"),
    ("<abbr t title='Hypertext'>HTML</abbr>", "", "Hypertext"),
    # what aria-owns moves
    ("<a href=# t aria-owns=moved>Standards </a><p>Here <b id=moved>(new window)</b></p>", "link", "Standards (new window)"),
    ("<h4 t>Left <b id=taken>behind</b></h4><div role=group aria-owns=taken></div>", "heading", "Left"),
    ("<h4 t>Still <b id=stays>here</b></h4><div hidden aria-owns=stays></div>", "heading", "Still here"),
    ("<button t aria-owns=play><span aria-hidden=true><b id=play>Play</b><b>Pause</b></span></button>", "button", "Play"),
]  # fmt: skip

PAGE = """<!doctype html><meta charset=utf-8><style>.icon::before{content:'\\f002'}</style>
<span id=white> </span><span id=words>Some <b>words</b></span>"""


async def roles_and_names(tab: Opened, expression: str) -> list[list[str]]:
    """Return role and name of each marked element, in their order."""
    context = await tab.world.frames.main_context()
    await tab.world.call("pageSize")
    found = await evaluate(
        context, f"{expression}.map((e) => [__gbrowse.roleOf(e), __gbrowse.nameOf(e)])", by_value=True
    )
    answer: list[list[str]] = found["value"]
    return answer


async def test_roles_and_names(show: Show) -> None:
    tab = await show(PAGE + "".join(f"<div>{markup}</div>" for markup, _, _ in ROLES))
    answers = await roles_and_names(tab, "[...document.querySelectorAll('[t]')]")
    told = {markup: (role, name) for (markup, _, _), (role, name) in zip(ROLES, answers, strict=True)}
    assert told == {markup: (role, name) for markup, role, name in ROLES}


async def test_a_label_on_a_slot_names_nothing(show: Show) -> None:
    tab = await show("""
        <x-b>light</x-b><script>const r=document.querySelector('x-b').attachShadow({mode:'open'});
        r.innerHTML='<button t>in <slot aria-label=label></slot></button>'</script>""")
    assert await roles_and_names(tab, "[document.querySelector('x-b').shadowRoot.querySelector('[t]')]") == [
        ["button", "in light"]
    ]
    assert await tab.lines() == ['button "in light"']


async def test_focusgroup_reaches_into_shadow_trees_and_not_into_the_top_layer(show: Show) -> None:
    tab = await show("""
        <x-menu><template shadowrootmode=open><div focusgroup=menu><slot></slot><button>Own</button></div></template>
        <button>Slotted</button></x-menu><div focusgroup=tablist><x-tab><template shadowrootmode=closed><button>Inner</button></template></x-tab>
        <div popover id=pop><button>Above</button></div></div><div focusgroup=menu popover=manual id=menu><button>Copy</button></div>
        <iframe srcdoc="<div focusgroup=menu><button>Framed</button></div>"></iframe>
        <script>pop.showPopover(); menu.showPopover()</script>""")
    tree = await tab.tree()
    assert [f"{role} {name}" for role, name in zip(tree.roles, tree.names, strict=True) if name] == [
        "menuitem Slotted", "menuitem Own", "tab Inner", "button Above", "menuitem Copy", "menuitem Framed",
    ]  # fmt: skip


async def test_references_lead_where_a_shadow_tree_or_a_script_says(show: Show) -> None:
    tab = await show("""
        <x-words id=words><template shadowrootmode=closed shadowrootreferencetarget=inner>not this
        <span id=inner>Words <slot></slot></span></template>here</x-words><button aria-labelledby=words t></button>
        <x-none id=none><template shadowrootmode=open shadowrootreferencetarget=nowhere>x</template></x-none><button aria-labelledby=none t>Own</button>
        <label for=outer>A</label><x-outer id=outer><template shadowrootmode=open shadowrootreferencetarget=middle><label for=middle>B</label>
        <x-middle id=middle><template shadowrootmode=open shadowrootreferencetarget=field><label for=field>C</label><input id=field></template></x-middle>
        <label for=middle>D</label></template></x-outer><label for=outer>E</label>
        <label>Around <x-field><template shadowrootmode=open shadowrootreferencetarget=field><input id=field value=3></template></x-field> it</label>
        <b id=set>Set by a script</b><button t id=reflects></button>
        <script>document.querySelector('#reflects').ariaLabelledByElements = [document.querySelector('#set')]</script>""")
    lines = await tab.lines()
    assert [line.strip() for line in lines if "button" in line or "textbox" in line] == [
        'button "Words here"',
        'button "Own"',
        'textbox "A B C D E"',
        'textbox "Around it"',
        'button "Set by a script"',
    ]


async def roles_names_and_states(tab: Opened) -> list[tuple[str, str, str]]:
    tree = await tab.tree()
    return [(tree.roles[line], tree.names[line], tree.states.get(line, "")) for line in range(len(tree))]


async def test_roles_and_states_in_element_internals_are_listed(show: Show) -> None:
    tab = await show("""
        <fancy-check>Agree</fancy-check><fancy-check role=switch>Own</fancy-check><div><fancy-tab>One</fancy-tab></div><fancy-plain>Nothing</fancy-plain>
        <fancy-list><li>Item</li></fancy-list><script>
        customElements.define('fancy-check', class extends HTMLElement {
          #internals = this.attachInternals();
          constructor() { super(); this.#internals.role = 'checkbox'; this.#internals.ariaChecked = 'false';
            this.onclick = () => this.#internals.ariaChecked = 'true' }
        });
        const key = Symbol('internals');
        customElements.define('fancy-tab', class extends HTMLElement {
          constructor() { super(); this[key] = this.attachInternals(); this[key].role = 'tab'; this[key].ariaSelected = 'true'; this[key].ariaLabel = 'First';
            this.attachShadow({mode: 'open'}).innerHTML = '<slot></slot>' }
        });
        customElements.define('fancy-plain', class extends HTMLElement {});
        customElements.define('fancy-list', class extends HTMLElement { internals = this.attachInternals(); connectedCallback() { this.internals.role = 'list' } });
        </script>""")
    assert await roles_names_and_states(tab) == [
        ("checkbox", "Agree", ""),
        ("switch", "Own", ""),
        ("tab", "First", "selected"),
        ("text", "Nothing", ""),
        ("list", "", ""),
        ("listitem", "", ""),
    ]
    await tab.page.evaluate("document.querySelector('fancy-check').click()")
    assert (await roles_names_and_states(tab))[0] == ("checkbox", "Agree", "checked")
    await tab.page.evaluate("document.body.append(document.createElement('fancy-check'))")
    assert (await roles_names_and_states(tab))[-1] == ("checkbox", "", "")


async def test_internals_in_a_variable_are_asked_of_chromium(show: Show, sent: list[str]) -> None:
    tab = await show("""
        <x-local>Agree</x-local><x-below>Mine</x-below><x-labelled></x-labelled><x-plain>Nothing</x-plain><x-bare>Bare</x-bare><x-toggle>Bold</x-toggle><x-menu>More</x-menu><script>
        customElements.define('x-local', class extends HTMLElement {
          constructor() { super(); const own = this.attachInternals(); own.role = 'checkbox'; own.ariaChecked = 'false';
            this.onclick = () => own.ariaChecked = 'true' }
        });
        class Above extends HTMLElement { constructor() { super(); const own = this.attachInternals(); own.role = 'tab'; own.ariaSelected = 'true' } }
        customElements.define('x-below', class extends Above {});
        const kept = new WeakMap();
        customElements.define('x-labelled', class extends HTMLElement { constructor() { super(); kept.set(this, this.attachInternals());
          Object.assign(kept.get(this), { role: 'slider', ariaLabel: 'Size', ariaValueNow: '3', ariaValueMax: '5' }) } });
        customElements.define('x-plain', class extends HTMLElement {});
        customElements.define('x-toggle', class extends HTMLElement { constructor() { super(); const own = this.attachInternals(); own.role = 'button'; own.ariaPressed = 'false' } });
        customElements.define('x-menu', class extends HTMLElement { constructor() { super(); const own = this.attachInternals(); own.role = 'button'; own.ariaHasPopup = 'menu' } });
        customElements.define('x-bare', class extends HTMLElement { constructor() { super(); const own = this.attachInternals() } });
        </script>""")
    first = await roles_names_and_states(tab)
    assert [one[:2] for one in first[:3]] == [("checkbox", "Agree"), ("tab", "Mine"), ("slider", "Size")]
    assert first[1][2] == "selected"
    assert first[3:] == [
        ("text", "NothingBare", ""),
        ("button", "Bold", "pressed=false"),
        ("button", "More", "popup=menu"),
    ]
    await tab.page.evaluate("document.querySelector('x-local').click()")
    assert (await roles_names_and_states(tab))[0] == ("checkbox", "Agree", "checked")
    sent.clear()
    plain = await show(
        "<x-plain>Nothing</x-plain><script>customElements.define('x-plain', class extends HTMLElement {})</script>"
    )
    assert await plain.lines() == ['text "Nothing"']
    assert [method for method in sent if method.startswith("Accessibility")] == []


async def test_internals_that_a_page_has_tampered_with_run_nothing(show: Show) -> None:
    tab = await show("""
        <script>var seen = 0; Object.defineProperty(ElementInternals.prototype, 'role', {get() { seen++; return 'button' }})</script>
        <x-a>One</x-a><script>customElements.define('x-a', class extends HTMLElement { i = this.attachInternals() })</script>""")
    assert await tab.lines() == ['text "One"']
    assert await tab.page.evaluate("seen") == 0


async def test_a_label_of_a_custom_element_names_the_field_in_it(show: Show) -> None:
    tab = await show("""
        <label>Agree <x-tick></x-tick></label><script>customElements.define('x-tick', class extends HTMLElement {
        static formAssociated = true;
        constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<input type=checkbox>' }
        })</script>""")
    assert (await tab.lines())[-1] == 'checkbox "Agree"'


COUNTED = """<style>body{counter-reset:part} h2{counter-increment:part;counter-reset:step} h3{counter-increment:step}
h2::before{content:counter(part, upper-roman) ". "} h3::before{content:counter(part) "." counter(step) ": "}
a::before{counter-set:given 51;content:"" / counter(given)} b{counter-increment:item} ol,li{counter-reset:item}
ol li::before{counter-increment:item;content:none} button::after{content:counters(item, ".")}</style>"""


async def test_counters_in_generated_content(show: Show) -> None:
    tab = await show(
        COUNTED
        + "<h2>One</h2><h3>First</h3><h3>Second</h3><section><h2>Two</h2><h3>Third</h3></section><a href=#>Set</a>"
        "<div style='counter-reset:item 4'><p style='counter-reset:item'><b></b><b></b><button>Nested</button></p></div>"
    )
    tree = await tab.tree()
    assert [name for name in tree.names if name] == [
        "I. One", "1.1: First", "1.2: Second", "II. Two", "2.1: Third", "51 Set", "Nested 4.2",
    ]  # fmt: skip
