"""Test what a line says behind its name: the value of a field, its states, its description."""

import pytest

from tests.browser.conftest import Show

pytestmark = pytest.mark.same_session
CLIPPED = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);white-space:nowrap"
VIEW_LINE = "<div class=view-line style='position:absolute;top:{}px'>{}</div>"
VALUES = [
    # the closed list, whatever it is made of
    ("<div role=combobox tabindex=0 aria-label={n}>Ten</div>", "Ten"),
    ("<button role=combobox aria-label={n}><span>Pick a fruit…</span><svg aria-hidden=true></svg></button>", "Pick a fruit…"),
    ("<div role=combobox tabindex=0 aria-label={n}>x<div role=listbox><div role=option aria-selected=true>One</div><div role=option>Two</div></div></div>", "One"),
    ("<div role=combobox aria-label={n}><input aria-label=inner value=x></div>", None),
    ("<div role=combobox tabindex=0 aria-label={n}>Ten<div role=listbox><div role=option aria-selected=false>One</div></div></div>", "Ten"),
    ("<div role=combobox tabindex=0 aria-label={n}>Ten <button>Remove Ten</button> Six <button>x</button></div>", "Ten Six"),
    ("<div role=combobox tabindex=0 aria-labelledby=in{n}><span id=in{n}>{n}</span> <b>Ten</b></div>", "Ten"),
    ("<div role=combobox tabindex=0 aria-label={n} aria-labelledby='me{n} in{n}' id=me{n}><b id=in{n}>Ten</b></div>", "Ten"),
    ("<div role=listbox aria-label={n}><p role=presentation>No results</p></div>", "No results"),
    # what is chosen beside the field in which options are searched, which has a value of its own
    ("<div role=combobox aria-label={n}><ul><li><span role=presentation>×</span>Ann</li><li><i>✕</i> Dan Lee</li><li><input aria-label=inner></li></ul></div>", "Ann, Dan Lee"),
    ("<div role=combobox aria-label={n}><div>Ann <button>Remove</button></div><div role=textbox contenteditable>typed</div><input aria-label=inner value=x></div>", "Ann"),
    ("<div role=combobox aria-label={n}><input aria-label=inner><ul role=listbox><li role=option>One</ul><p role=status>2 results</p></div>", None),
    ("<div role=combobox aria-label={n} aria-describedby=d{n}><input aria-label=inner><p id=d{n}>Type to search</p></div>", None),
    ("<div role=combobox aria-label='{n} City'><label>City <input></label></div>", None),
    # buttons that open something
    ("<button aria-haspopup=listbox aria-label={n}>March</button>", "March"),
    ("<span id=of>{n} </span><button id=me aria-haspopup=listbox aria-labelledby='of'>March</button>", "March"),
    ("<button aria-expanded=false aria-label={n}>March</button>", "March"),
    ("<button aria-label={n}>March</button>", None),
    ("<button aria-haspopup=false aria-label={n}>March</button>", None),
    # of which an icon, the name once more, and words for screen readers are no choice
    ("<button aria-haspopup=menu aria-label={n}><i class=material-icons>more_vert</i></button>", None),
    ("<button aria-expanded=true aria-label={n} style='text-transform:uppercase'>{n}</button>", None),
    (f"<button aria-haspopup=menu aria-label={{n}}><span style='{CLIPPED}'>Open</span></button>", None),
    # ranges and what moves like one
    ("<div role=separator tabindex=0 aria-valuenow=30 aria-label={n}></div>", "30"),
    ("<div role=spinbutton contenteditable aria-valuenow=1 aria-label={n}>PM</div>", "PM"),
    ("<div role=slider tabindex=0 aria-valuenow=3 aria-valuetext=Medium aria-label={n}></div>", "Medium"),
    ("<input type=range max=3 value=1 aria-valuetext=orange aria-label={n}>", "orange"),
    # fields that are not editable
    ("<div role=textbox aria-readonly=true aria-label={n}>kept</div>", "kept"),
    ("<div role=searchbox tabindex=0 aria-label={n}>found <b>it</b></div>", "found it"),
    # lines
    ("<textarea aria-label={n}>one\n  two\n\nfour\n</textarea>", "one⏎  two⏎⏎four"),
    ("<div contenteditable aria-label={n}><p>one</p><p>two <b>bold</b></p></div>", "one⏎two bold"),
    ("<div contenteditable aria-label={n}><div>a<br></div><div><br></div><div>b</div></div>", "a⏎⏎b"),
    ("<div contenteditable aria-label={n}>a<br>b<ul><li>c</li><li>d</li></ul></div>", "a⏎b⏎c⏎d"),
    ("<div contenteditable aria-label={n}><p>a</p><table><tr><td>b<td>c<tr><th>d<td>e</table></div>", "a⏎b c⏎d e"),
    ("<div contenteditable aria-label={n}><table><tr><td><p>b</p><td><p>c</p></table></div>", "b⏎c"),
    ("<div contenteditable aria-label={n} style='white-space:break-spaces'>a<svg>\n  <g>\n  </g>\n</svg>b</div>", "ab"),
    ("<div role=textbox contenteditable style='white-space:pre' aria-label={n}><div class=cm-line>if x:</div><div class=cm-line>&#9;y()</div></div>", "if x:⏎    y()"),
    ("<div contenteditable aria-label={n}>\n   Some  content \n <div> Content  <b> here</b> </div>\n</div>", "Some content⏎Content here"),
    ("<div contenteditable aria-label={n}><b>a </b> <i> b</i><br> c<span style='white-space:pre'>  d </span> </div>", "a b⏎c d"),
    ("<input type=password aria-label={n} value='a&#10;b'>", "[redacted]"),
    # of an editor that draws its text elsewhere, in visual order
    (f"<div class=monaco-editor style='position:relative;height:99px'><div class=view-lines aria-hidden=true>{VIEW_LINE.format(40, 'third')}{VIEW_LINE.format(0, 'first')}"
     f"{VIEW_LINE.format(20, '&nbsp;&nbsp;second')}</div><textarea aria-label={{n}} style='width:0;height:0;padding:0;border:0;position:absolute'></textarea></div>", "first⏎  second⏎third"),
    # of what nobody can edit as much as is seen, of what is written all
    (f"<div contenteditable aria-label={{n}}><p>a</p><label contenteditable=false><input type=checkbox><span style='{CLIPPED}'>Box</span>Task</label><p>b</p></div>", "a⏎Task⏎b"),
    ("<div contenteditable aria-label={n}><p>a</p><div contenteditable=false>@Ann<ul style='display:none'><li>Bob</ul></div></div>", "a⏎@Ann"),
    (f"<div contenteditable aria-label={{n}}><p>a</p><p style='{CLIPPED}'>b</p><p style='display:none'>c</p></div>", "a⏎b⏎c"),
    (f"<div contenteditable aria-label={{n}}><figure contenteditable=false><b style='{CLIPPED}'>x</b><figcaption contenteditable=true><b style='{CLIPPED}'>c</b>aption</figcaption></figure></div>", "caption"),
]  # fmt: skip


async def tell_each(show: Show, cases: list[tuple[str, str | None]], what: str, before: str = "") -> None:
    """Show the elements of all cases, each with a name of its own, and compare what is said behind each name."""
    tab = await show(
        before + "".join(f"<div>{markup.format(n=f'n{i}')}</div>" for i, (markup, _) in enumerate(cases))
    )
    tree = await tab.tree()
    told = {tree.names[line].split()[0]: said for line, said in getattr(tree, what).items() if tree.names[line]}
    assert {markup: told.get(f"n{i}") for i, (markup, _) in enumerate(cases)} == dict(cases)


async def test_value_of_each_kind_of_field_is_listed(show: Show) -> None:
    await tell_each(show, VALUES, "values")


OVER = """<style>.box{position:relative;display:flex;width:200px;border:1px solid} .over{position:absolute;left:2px;top:1px;pointer-events:none}
input{border:0;width:100%;background:none} .tiny{width:3px}</style>"""
DRAWN_OVER = [
    # Element Plus, Ant Design; React Select; a field that is only read
    ("<div class=box><div><input role=combobox aria-label={n}></div><div class=over><span>Rome</span></div></div>", "Rome"),
    ("<div class=box><div class=over>New <b>York</b></div><div><input role=combobox class=tiny aria-label={n}></div><button>Clear</button></div>", "New York"),
    ("<div class=box><input role=combobox readonly aria-label={n}><div class=over>Rome</div></div>", "Rome"),
    ("<div class=box><input role=combobox value=Ro aria-label={n}><div class=over>Rome</div></div>", "Ro"),
    # what is no value: what stands beside or below the field, its label, its description, what nobody sees, a button; of a plain field
    ("<div class=box><span>Beside</span><input role=combobox aria-label={n}></div>", None),
    ("<div><input role=combobox aria-label={n}><p>Below</p></div>", None),
    ("<div class=box><input role=combobox aria-label='{n} City'><div class=over>City</div></div>", None),
    ("<div class=box><input role=combobox aria-label={n} aria-describedby=d{n}><div class=over id=d{n}>Select…</div></div>", None),
    ("<div class=box><input role=combobox aria-label={n}><div class=over style='opacity:0'>Gone</div></div>", None),
    (f"<div class=box><input role=combobox aria-label={{n}}><span style='left:0;{CLIPPED}'>Press up or down to select</span></div>", None),
    ("<div class=box><input role=combobox aria-label={n}><ul class=over role=listbox><li role=option>Rome</ul></div>", None),
    ("<div class=box><input aria-label={n}><div class=over>Rome</div></div>", None),
    ("<div class=box><input role=combobox aria-label={n}><input aria-label=other><div class=over>Rome</div></div>", None),
]  # fmt: skip


async def test_choice_drawn_over_an_empty_field_is_its_value(show: Show) -> None:
    await tell_each(show, DRAWN_OVER, "values", OVER)


STATES = [
    ("<input type=checkbox aria-label={n} checked disabled>", "checked, disabled"),
    ("<button aria-expanded=false aria-pressed=true>{n}</button>", "collapsed, pressed"),
    ("<h3>{n}</h3>", "level=3"),
    ("<a href=# aria-current=page>{n}</a>", "current"),
    ("<input aria-label={n} required readonly value=v>", "readonly, required"),
    ("<div role=checkbox aria-checked=mixed>{n}</div>", "checked=mixed"),
    ("<fieldset disabled><button>{n}</button></fieldset>", "disabled"),
    ("<div aria-disabled=true><div role=button>{n}</div></div>", "disabled"),
    ("<button aria-label={n} title='Once'>x</button>", 'description="Once"'),
    ("<input aria-label={n} title='Two &quot;words&quot;]'>", 'description="Two ”words”)"'),
    ("<input aria-label={n} title=Tip aria-description=Said>", 'description="Said"'),
    ("<a href=# title=Tip aria-label={n}>x</a>", None),
    ("<div role=radio aria-label={n} aria-posinset=2 aria-setsize=5></div>", "2 of 5"),
    ("<div role=columnheader aria-sort=ascending>{n}</div>", "sort=ascending"),
    ("<div role=columnheader aria-sort=none>{n}</div>", None),
    ("<button aria-haspopup=true>{n}</button>", "popup=menu"),
    ("<button aria-haspopup=dialog aria-expanded=false>{n}</button>", "collapsed, popup=dialog"),
    ("<button aria-haspopup=false>{n}</button>", None),
    ("<button popovertarget=p{n}>{n}</button><i popover id=p{n}>x</i>", "collapsed"),
    ("<button popovertarget=p{n}>{n}</button><i popover=manual id=p{n}>x</i><script>p{n}.showPopover()</script>", "expanded"),
    ("<button command=show-modal commandfor=p{n}>{n}</button><dialog id=p{n}>x</dialog>", None),
    ("<div role=combobox aria-haspopup=listbox aria-label={n}></div>", None),
    ("<button aria-pressed=mixed>{n}</button>", "pressed=mixed"),
    ("<div role=dialog aria-modal=true aria-label={n}>x</div>", "modal"),
    ("<div role=tree aria-multiselectable=true aria-label={n}><div role=treeitem>x</div></div>", "multiple"),
    ("<div role=group aria-roledescription=slide aria-label={n}>x</div>", 'roledescription="slide"'),
    ("<input type=number min=1 max=9 aria-label={n}>", "min=1, max=9"),
    ("<div role=slider tabindex=0 aria-valuemin=0 aria-valuemax=60 aria-label={n}></div>", "min=0, max=60"),
    ("<input aria-label={n} aria-describedby=hint><i id=hint>Eight, at least</i>", 'description="Eight, at least"'),
    ("<input aria-label={n} aria-invalid=true aria-errormessage=wrong><i id=wrong>No mail address</i>", 'invalid, error="No mail address"'),
    (f"<input aria-label={{n}} aria-description='{'long ' * 99}'>", f'description="{"long " * 23}long…"'),
    ("<input aria-label={n} aria-errormessage=fine><i id=fine>Not shown</i>", None),
    ("<input aria-label={n} aria-invalid=true aria-errormessage=unseen><i id=unseen hidden>Later</i>", "invalid"),
]  # fmt: skip


async def test_states_of_each_kind_of_element_are_listed(show: Show) -> None:
    await tell_each(show, STATES, "states")


async def test_a_field_that_the_browser_refuses_says_why(show: Show) -> None:
    tab = await show("<input type=email aria-label=Mail>")
    await tab.page.evaluate("document.querySelector('input').focus()")
    await tab.page.keyboard.type("nobody")
    await tab.page.keyboard.press("Tab")
    tree = await tab.tree()
    assert tree.states[0].startswith('invalid, error="')
    assert "nobody" in tree.states[0]


async def test_the_focus_is_told_in_whatever_tree_it_is(show: Show) -> None:
    tab = await show("""<x-a></x-a><div id=l role=listbox tabindex=0 aria-label=List aria-activedescendant=b><div role=option id=a>A</div>
        <div role=option id=b>B</div></div><script>
        const inner = document.querySelector('x-a').attachShadow({mode: 'open'});
        inner.innerHTML = '<x-b></x-b>';
        const deep = inner.querySelector('x-b').attachShadow({mode: 'closed'});
        deep.innerHTML = '<button>Deep</button>';
        deep.querySelector('button').focus();
        </script>""")
    for script, states in (("0", {"Deep": "focused"}), ("l.focus()", {"List": "focused", "B": "active"})):
        await tab.page.evaluate(script)
        tree = await tab.tree()
        assert {tree.names[line]: said for line, said in tree.states.items()} == states
