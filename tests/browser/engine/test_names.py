"""Accessible names: the examples of accname 1.2 and html-aam, one element each (the one with id=t)."""

import json

import pytest

from gstack_browse.browser.engine.messages import evaluate
from tests.browser.conftest import Show

pytestmark = pytest.mark.same_session

CASES = {
    # accname 1.2: labelledby, chains, self references
    "labelledby chain stops after one": ('<span id=a aria-labelledby=b>A</span><span id=b>B</span><button id=t aria-labelledby=a>x</button>', "A"),
    "labelledby in the order of its ids": ('<h2 id=a>Files</h2><a id=t href=# aria-label="Delete" aria-labelledby="t a">x</a>', "Delete Files"),
    "labelledby of a hidden element": ("<span id=a style='display:none'>Hidden <b>too</b></span><button id=t aria-labelledby=a></button>", "Hidden too"),
    "labelledby leaves out what is hidden in a visible one": ("<span id=a>Seen<i hidden>not</i></span><button id=t aria-labelledby=a></button>", "Seen"),
    "labelledby of what it is a part of": ("<div role=treeitem id=t><span role=checkbox aria-labelledby=t></span>Leaf</div>", "Leaf"),
    "labelledby nothing falls through": ("<button id=t aria-labelledby=nowhere>Text</button>", "Text"),
    "aria-label before content": ("<button id=t aria-label='Save file'>x</button>", "Save file"),
    "blank aria-label is none": ("<button id=t aria-label='  '>Text</button>", "Text"),
    # embedded controls
    "checkbox label with a textbox": ("<input type=checkbox id=t><label for=t>Flash the screen <input value=3 aria-label=n> times</label>", "Flash the screen 3 times"),
    "checkbox label with a select": ("<input type=checkbox id=t><label for=t>Flash <select><option>1<option selected>5</select> times</label>", "Flash 5 times"),
    "checkbox label with a slider": ("<input type=checkbox id=t><label for=t>Flash <span role=slider aria-valuetext=Monster aria-valuenow=9>x</span> times</label>", "Flash Monster times"),
    "checkbox label with a range": ("<input type=checkbox id=t><label for=t>Play <input type=range min=0 max=9 value=4> times</label>", "Play 4 times"),
    "checkbox label with a gauge": ("<input type=checkbox id=t><label for=t>Full <progress value=.5>half</progress></label>", "Full 0.5"),
    "a field among its own labels is no value": ("<span id=s>Size</span><input type=range id=t value=3 aria-label=Pick aria-labelledby='t s'>", "Pick Size"),
    "a button around a file field": ("<a role=button id=t href=#><input type=file></a>", "Choose File"),
    "a password in a label stays one": ("<input type=checkbox id=t><label for=t>Keep <input type=password value=hunter2></label>", "Keep"),
    "the field keeps words of its label apart": ("<style>label::before{content:'Pay'}</style><label><input type=checkbox id=t>now</label>", "Pay now"),
    "a field that is not rendered does not": ("<label>Up<input type=file id=t style='display:none'>load</label>", "Upload"),
    "a menu in a label is no part of it": ("<input type=checkbox id=t><label for=t>Flash <span role=menu><b role=menuitem>1</b></span> times</label>", "Flash times"),
    "a picture that is decoration has no tooltip": ("<a id=t href=#>My <img src=x alt='' role=presentation title=Tip> name</a>", "My name"),
    "a picture that is decoration names what nothing else does": (
        "<button id=t><img src=x role=presentation title=Tip></button>",
        "Tip",
    ),
    "a picture without words has": ("<a id=t href=#><img src=x alt='' title=Tip></a>", "Tip"),
    "the field itself is not part of its label": ("<label>First <input id=t value=Ann> name</label>", "First name"),
    # content
    "inline pieces are glued, blocks are not": ("<button id=t>on<b>e</b><div>two</div>three</button>", "one two three"),
    "flex items are blocks": ("<button id=t style='display:flex'><span>one</span><span>two</span></button>", "one two"),
    "generated content": ("<style>#t::before{content:'→ '}#t::after{content:' !'}</style><a id=t href=#>go</a>", "→ go !"),
    "generated alternative text": ("<style>#t::before{content:url(x.png) / 'New ';}</style><a id=t href=#>go</a>", "New go"),
    "a generated picture says nothing": ("<style>#t::before{content:url(\"data:image/svg+xml,<svg a='1'></svg>\")}</style><a id=t href=#>go</a>", "go"),
    "hidden generated content": ("<style>label::after{content:':';visibility:hidden} a::before{content:'x';display:none}</style><label for=t>Name</label><input id=t>", "Name"),
    "quotation marks": ("<button id=t>Say <q>hi</q></button>", "Say “hi”"),
    "text as it is shown": ("<style>.u{text-transform:uppercase}</style><button id=t class=u>Log out <i style='text-transform:none'>now</i></button>", "LOG OUT now"),
    "capitals are inherited": ("<div style='text-transform:capitalize'><x-b></x-b></div><script>document.querySelector('x-b').attachShadow({mode:'open'}).innerHTML='<a id=t href=#>go home</a>'</script>", "Go Home"),
    "a label is told as it is written": ("<style>.u{text-transform:uppercase}</style><button id=t class=u aria-label='Log out'>x</button>", "Log out"),
    "pictures speak by their alt": ("<a id=t href=#><img src=x alt='Home'> page</a>", "Home page"),
    "decoration says nothing": ("<a id=t href=#><img src=x alt=''>Home</a>", "Home"),
    "svg title": ("<button id=t><svg width=9 height=9><title>Close</title></svg></button>", "Close"),
    "aria-hidden content is left out": ("<button id=t><span aria-hidden=true>×</span> Close</button>", "Close"),
    "visibility hidden with a visible child": ("<button id=t><span style='visibility:hidden'>a<i style='visibility:visible'>b</i></span></button>", "b"),
    "display contents": ("<button id=t><span style='display:contents'>a</span>b</button>", "ab"),
    "child with a label of its own": ("<a id=t href=#>See <span aria-label='the manual'>man</span></a>", "See the manual"),
    "br is a blank": ("<button id=t>one<br>two</button>", "one two"),
    "slotted text": ("<x-b>light</x-b><script>const r=document.querySelector('x-b').attachShadow({mode:'open'});r.innerHTML='<button id=t>in <slot></slot></button>'</script>", "in light"),
    "white space collapses": ("<button id=t>\n  one \t two\u00a0 </button>", "one two"),
    # html-aam
    "label for": ("<label for=t>Name</label><input id=t>", "Name"),
    "two labels": ("<label for=t>First</label><label for=t>second</label><input id=t>", "First second"),
    "label before title and placeholder": ("<label>L <input id=t title=T placeholder=P></label>", "L"),
    "title before placeholder": ("<input id=t title=T placeholder=P>", "T"),
    "placeholder": ("<input id=t placeholder=P>", "P"),
    "submit without a value": ("<input id=t type=submit>", "Submit"),
    "reset without a value": ("<input id=t type=reset>", "Reset"),
    "button value": ("<input id=t type=button value=Go>", "Go"),
    "image button": ("<input id=t type=image src=x alt=Find>", "Find"),
    "image": ("<img id=t src=x alt='A cat' width=9 height=9>", "A cat"),
    "fieldset legend": ("<fieldset id=t><legend>Size <b>now</b></legend><input></fieldset>", "Size now"),
    "table caption": ("<table id=t><caption>Sales</caption><tr><th>a<td>b</table>", "Sales"),
    "editable by its placeholder": ("<div role=textbox id=t contenteditable aria-placeholder=Reply></div>", "Reply"),
    "select label": ("<label>Size<select id=t><option>S<option>M</select></label>", "Size"),
    "option": ("<select><option id=t label=Small>s</select>", "Small"),
    "optgroup": ("<select><optgroup id=t label=Group><option>o</select>", "Group"),
    "summary": ("<details><summary id=t>More</summary>x</details>", "More"),
    "iframe title": ("<iframe id=t title='Ad'></iframe>", "Ad"),
    "link by title": ("<a id=t href=# title=Tip></a>", "Tip"),
    "content before title": ("<a id=t href=# title=Tip>Text</a>", "Text"),
    "heading": ("<h2 id=t>One <a href=#>two</a></h2>", "One two"),
    "meter label": ("<label>Fuel <meter id=t value=.5></meter></label>", "Fuel"),
    "area alt": ("<map name=m><area id=t href=# alt=North shape=rect coords=0,0,9,9></map><img usemap=#m src=x>", "North"),
    "tab with a close button": ("<div role=tablist><div role=tab id=t>File <button aria-label=Close>×</button></div></div>", "File Close"),
    "radio group by labelledby": ("<p id=p>Pick</p><div role=radiogroup id=t aria-labelledby=p></div>", "Pick"),
    "paragraphs have no name": ("<p id=t title=x>words</p>", ""),
}  # fmt: skip

NAMES = """(cases) => {
  const find = (root) => {
    for (const one of root.querySelectorAll('*')) {
      const found = one.id === 't' ? one : one.shadowRoot && find(one.shadowRoot);
      if (found) return found;
    }
  };
  return cases.map((markup) => {
    document.body.replaceChildren(document.createRange().createContextualFragment(markup));
    __gbrowse.invoke('pageSize', []);
    return __gbrowse.nameOf(find(document));
  });
}"""


async def test_accessible_name_is_that_of_the_specification(show: Show) -> None:
    """Put each case alone into the page: their rules and ids are the same ones."""
    tab = await show("<p>Empty")
    await tab.world.load()
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


async def test_attributes_that_refer_to_nothing_mean_nothing(show: Show) -> None:
    empty = "activedescendant controls describedby details errormessage flowto labelledby owns"
    said = " ".join(f"aria-{name}=''" for name in empty.split())
    tab = await show(
        f"<input role=combobox aria-label=Named aria-invalid=true {said}><button {said}>Pressed</button><ul {said}><li>One</ul>"
    )
    assert {"Named", "Pressed"} <= set((await tab.tree()).names)
