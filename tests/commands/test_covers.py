"""What a press reaches, what is in its way, and for how long that is waited for."""

import time

import pytest

from gstack_browse.browser.actions import readiness
from gstack_browse.browser.actions.locate import covers
from gstack_browse.errors import Covered, NotInteractable, TimedOut
from tests.commands.conftest import Fails, Run, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web
from tests.each import each

LETS_THROUGH = """<style>input, button { pointer-events: none }</style>
<table><tr><td><div><input type=checkbox></div><td>Ann</tr><tr><td><div><input type=checkbox></div><td>Bob</tr></table>
<span id=w tabindex=0 style="display: inline-block"><button disabled>Save</button></span><p id=tip hidden>Only admins may save</p>
<script>for (const row of document.querySelectorAll("tr")) row.onclick = () => { const box = row.querySelector("input"); box.checked = !box.checked };
w.onmouseenter = () => { tip.hidden = false }</script>"""

pytestmark = pytest.mark.same_session

SLOTTED = """<x-button>Save</x-button><script>
  customElements.define('x-inner', class extends HTMLElement { constructor() { super();
    this.attachShadow({mode: 'closed'}).innerHTML = '<button style="padding:9px"><span><slot></slot></span></button>'} });
  customElements.define('x-button', class extends HTMLElement { constructor() { super();
    const root = this.attachShadow({mode: 'closed'}); root.innerHTML = '<x-inner><slot></slot></x-inner>';
    for (const type of ['click', 'dblclick', 'contextmenu', 'mouseover']) root.firstElementChild.addEventListener(type, () => parent.heard = (parent.heard || '') + type + ' ') } });
  </script>"""
PRESSED = "<button onclick=\"document.title = 'pressed'\">Go</button>"
VEIL = "<div id=veil style='position:fixed;inset:0'></div>"


async def cover_page(run: Run) -> None:
    """Lay a veil over the frame that commands are in."""
    await run("js", f'document.body.insertAdjacentHTML("beforeend", "{VEIL}")')


async def test_button_is_pressed_on_its_slotted_label(run: Run, show: Show, fails: Fails, web: Web) -> None:
    """Press text of the host: from inside the host itself seems to lie over its button."""
    await run("mouse move 900,600")
    await show(f"<iframe src='{web.show(SLOTTED)}'></iframe>")
    await run("snapshot")  # closed roots within closed roots are met one snapshot after the other
    ref = await ref_of(run, '[button] "Save"')
    await run("hover", ref)
    assert await run("js heard") == "mouseover "
    await run("js", "heard = ''")
    for how in ("click", "click --double", "click --button right"):
        assert await run(how, ref) == f"Clicked {ref}"
    assert (await run("js heard")).split() == ["click", "click", "click", "dblclick", "contextmenu"]
    await cover_page(run)
    assert "<div#veil>" in (await fails(f"click {ref} --timeout 50", Covered)).message


async def test_a_slotted_element_and_its_host_are_pressed(run: Run, fails: Fails, show: Show) -> None:
    """Press the host for a control that lets presses through, and neither below a cover."""
    await show(
        """<style>x-tab{display:block;width:90px;height:30px}</style><x-card><b id=title>Title</b> text</x-card>
        <x-tab>First</x-tab><x-tab>Second</x-tab><script>
        document.querySelector('x-card').attachShadow({mode: 'open'}).innerHTML = '<div id=box style="padding:20px"><slot></slot></div>';
        heard = ''; addEventListener('click', event => heard += event.composedPath()[0].id + ' ');
        customElements.define('x-tab', class extends HTMLElement {
          connectedCallback() { this.onclick = () => document.title = this.textContent; this.attachShadow({mode: 'open'}).innerHTML =
            '<style>button,::slotted(*){pointer-events:none}button{width:100%;height:100%}</style><button role=tab><slot></slot></button>' } })</script>"""
    )
    for target in ("#title", "#box", "x-card", "role=tab[name=Second]"):
        assert await run("click", target) == f"Clicked {target}"
    assert (await run("js heard")).split()[0] == "title"
    assert await run("js document.title") == "Second"
    await cover_page(run)
    assert "is covered by <div#veil>" in (await fails("click role=tab[name=First]", Covered)).message


async def test_control_is_not_pressed_on_the_host_of_several(run: Run, fails: Fails, show: Show) -> None:
    """Refuse a press that another control could take."""
    await show(
        """<x-app></x-app><script>
        const root = document.querySelector('x-app').attachShadow({mode: 'closed'});
        root.innerHTML = '<style>x-in { pointer-events: none }</style><p>Words</p><x-in></x-in><a href="#x">Other</a>';
        root.querySelector('x-in').attachShadow({mode: 'closed'}).innerHTML = '<button>Go</button>';
        document.onclick = () => { document.title = 'pressed' }</script>"""
    )
    await run("snapshot")
    ref = await ref_of(run, '[button] "Go"')
    reply = await fails(f"click {ref} --timeout 50", Covered)
    why = "it takes no presses (pointer-events: none)"
    assert reply.message.endswith(f'"Go" is covered by <x-app>, which it is in: {why}')
    assert "disabled" in reply.hint
    assert await run("title") != "pressed"


async def test_free_part_of_a_button_in_a_frame_is_pressed(
    run: Run, fails: Fails, show: Show, web: Web
) -> None:
    """Press beside a cover of the page around, in a frame of another site, in several ways, or only hover."""
    inside = web.show_elsewhere("""<body style='margin:0'><button style='width:200px;height:40px'>Go</button><script>heard = ''
        for (const type of ['mousemove', 'mouseup']) addEventListener(type, event => heard = type + (event.offsetX > 140))</script>""")
    await show(
        f"<div style='position:relative'><iframe src='{inside}' style='border:0'></iframe>"
        "<div id=veil style='position:absolute;left:0;top:0;height:90px;width:140px'>veil</div></div>"
    )
    await run("frame iframe")
    for how in ("hover", "click", "click --button middle", "click --modifiers Shift"):
        await run(f"{how} button")
        assert await run("js heard") == ("mousemovetrue" if how == "hover" else "mouseuptrue")
    await run("frame main")
    await run("js", "veil.style.width = '300px'")
    await run("frame iframe")
    assert "is covered by <div" in (await fails("click button --timeout 500", Covered)).message


async def test_part_of_a_button_and_what_has_no_box_are_pressed(run: Run, show: Show, fails: Fails) -> None:
    """Press an icon within a button, an element on what it contains, and the free line of a wrapped link."""
    await show("""<button id=b onclick="n = (window.n || 0) + 1" style='width:100px;height:60px'>
        <svg id=s width=90 height=50><g><path id=p d='M0 0h90v50h-90z'/></g></svg></button>
        <div id=one style='display:contents' onclick='m = 1'><b>One</b></div><div id=two style='display:contents' onclick='m = 2'>Two</div>
        <div style='width:200px;font:20px/30px monospace;position:relative'>xxxx xxxxxxx <a id=wrapped href='#x'>wrapped link</a>
        <i style='position:absolute;left:0;top:0;width:200px;height:30px;background:red'></i></div>
        <label style='position:relative'><input type=checkbox id=c> I accept the
        <a id=terms href='#terms'>terms</a><span id=over style='position:absolute;inset:0'></span></label>""")
    for target in ("#b", "#s", "#p"):
        await run("click", target)
    assert await run("js n") == "3"
    for number, target in enumerate(("#one", "#two"), 1):
        await run("click", target)
        assert await run("js m") == str(number)
    assert (await run("click #wrapped")).endswith("#x")
    # a link in a label is not pressed by way of the label
    assert "<span#over>" in (await fails("click #terms --timeout 50", Covered)).message
    await run("click #c")
    assert await run("is checked #c") == "true"


MAP = """<div style='height:1500px'></div><img usemap=#m width=200 height=100 style='padding:10px;border:3px solid'
    src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'/>">
    <map name=m><area id=circle shape=circle coords=50,50,20 href=#circle>
    <area id=triangle shape=poly coords="100,10,190,10,190,90" href=#triangle><area id=rest shape=default href=#rest></map>"""


async def test_area_of_an_image_map_is_pressed_inside(run: Run, show: Show, fails: Fails, web: Web) -> None:
    """Press it in a frame, and not below a cover."""
    await show(f"<iframe src='{web.show(MAP)}'></iframe>")
    await run("frame iframe")
    for area in ("circle", "triangle", "rest"):
        assert await run(f"is visible '#{area}'") == "true"
        await run(f"hover '#{area}'")
        await run(f"click '#{area}'")
        assert await run("js location.hash") == f"#{area}"
    await run("click '#circle' --double")
    assert await run("js location.hash") == "#circle"
    await cover_page(run)
    assert "<div#veil>" in (await fails("click '#circle' --timeout 50", Covered)).message


async def test_cover_that_stays_is_told_soon(show: Show, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name it by its words, as a person reads them."""
    monkeypatch.setattr(readiness, "WAIT_SECONDS", 60.0)
    await show("""<button>Go</button><div id=veil style="position: fixed; inset: 0; background: white"><h2>Close</h2><p>Log<b>in</b>
        <p hidden>Welcome back<table><tr><td>Name<td>Ann</table></div>""")
    began = time.monotonic()
    reply = await fails("click button", Covered)
    assert reply.message == '<button> "Go" is covered by <div#veil> "Close Login Name Ann"'
    assert 0.9 < time.monotonic() - began < 30
    began = time.monotonic()
    await fails("click button --timeout 1500", Covered)
    assert time.monotonic() - began > 1.3


async def test_control_that_closes_a_cover_is_named(run: Run, show: Show, fails: Fails) -> None:
    """Name it only where there is one."""
    await show("""<button>Go</button><button>Close</button><div style="position: fixed; inset: 0; background: white"><p>Sure?</p>
        <a href=# aria-hidden=true onclick="this.parentNode.remove()">Cancel</a><button id=more hidden>×</button><button>Save</button></div>""")
    hint = "Close or scroll away what lies on top; --timeout 10000 waits for it to go"
    cancel = (await fails("click text=Go --timeout 50", Covered)).hint
    ref = cancel.split()[-3]
    assert cancel == f'{hint}. It has {ref} <a> "Cancel"'
    await run("js more.hidden = false")
    assert (await fails("click text=Go --timeout 50", Covered)).hint == hint
    await run(f"click {ref}")
    await run("click text=Go")
    await show("""<style>.card { position: relative } a::after { content: ''; position: absolute; inset: 0 }</style>
        <div class=card><h5>Title</h5><a href=#there>More</a></div>""")
    stretched = (await fails("click h5 --timeout 50", Covered)).hint
    ref = stretched.split()[-3]
    assert stretched == f'{hint}. A press there is one on {ref} <a> "More"'
    assert (await run(f"click {ref}")).endswith("#there")


async def test_cover_is_waited_for_while_it_looks_busy_or_a_request_is_under_way(
    run: Run, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wait longer than for one that stays as it is."""
    monkeypatch.setattr(covers, "STILL_SECONDS", 0.1)
    await show(
        f"<button onclick='n++'>Go</button>{VEIL}<script>n = 0; over = veil; over.className = 'loading'</script>"
    )
    await run("js", "setTimeout(() => over.remove(), 900); 0")
    await run("click button")
    again = "over.className = ''; document.body.append(over); fetch('/gate/data').then(() => over.remove())"
    await run("js", f"{again}; 0")
    web.later(0.9, web.gate("data").set)
    await run("click button")
    assert await run("js n") == "2"


MODALS = [
    "<dialog id=m>Sure?<input id=in><select id=one><option>a<option>b</select></dialog><script>m.showModal()</script>",
    "<div style='position:fixed;inset:0;background:#0008'></div><div id=m style='position:fixed;left:200px;top:200px' role=dialog aria-modal=true>Sure?</div>",
    "<script>form.inert = true; form.id = 'm'</script>",
]


@each(MODALS)
async def test_field_that_a_modal_blocks_is_not_filled(modal: str, run: Run, show: Show, fails: Fails) -> None:
    """A page's own modal blocks what it covers, the browser's and `inert` all behind. What is within is filled."""
    place = "position:absolute;left:-999px" if "showModal" in modal else ""
    form = "<form id=form><input id=f value=old><select id=s><option>a<option>b</select></form>"
    await show(f"<style>form * {{ {place} }}</style>{form}{modal}")
    for command in ("fill '#f' new", "select '#s' b"):
        reply = await fails(f"{command} --timeout 50", Covered)
        assert "is blocked by <" in reply.message
        assert "#m>" in reply.message
    assert await run("js", "f.value + s.value") == "olda"
    if "showModal" in modal:
        await run("fill '#in' new")
        await run("select '#one' b")
        assert await run("js", "document.querySelector('#in').value + one.value") == "newb"


async def test_covered_field_in_the_upper_of_two_modal_dialogs_is_filled_as_by_keys(
    run: Run, show: Show, fails: Fails
) -> None:
    """Fill the dialog that snapshots list: the upper one, which is often beside the other, not inside."""
    fields = "<input id=f><input id=r type=range><input id=d type=date><select id=s><option>a<option>b</select>"
    await show(
        f"<dialog id=lower><input id=below></dialog><dialog id=upper>{fields}<div style='position:fixed;inset:0'>Wait</div></dialog>"
        "<script>lower.showModal(); upper.showModal()</script>"
    )
    for target, value in {"#f": "new", "#r": "70", "#d": "2026-12-31"}.items():
        assert await run(f"fill '{target}'", value) == f"Filled {target}"
        assert await run(f"value '{target}'") == value
    assert await run("select '#s' b") == 'Selected "b" in #s'
    assert "is blocked by <dialog#upper>" in (await fails("fill '#below' new --timeout 50", Covered)).message


NESTED = """<style>table,tr,.card{cursor:pointer} .card{width:300px;text-align:center} td{width:200px} .open{cursor:auto}</style>
<script>n = ''; hear = (name) => (event) => { event.stopPropagation(); n += name + ' ' }</script>
<table style="cursor:auto"><tr id=row onclick="hear('row')(event)"><td>Ann<td><button onclick="hear('wrong')(event)">Delete</button><td>Paris</table>
<div id=card class=card onclick="hear('card')(event)">A card<br><a href=#gone onclick="hear('wrong')(event)">a link in the very middle of the card</a></div>
<div id=chip role=button tabindex=0 style="width:120px" onclick="hear('chip')(event)">Chip<button onclick="hear('wrong')(event)" style="width:90px">x</button></div>
<ul role=tree><li id=branch role=treeitem tabindex=0 onclick="hear('branch')(event)">Docs<ul role=group>
  <li role=treeitem onclick="hear('wrong')(event)">Work<li role=treeitem style="height:1200px" onclick="hear('wrong')(event)">Home</ul></ul>
<div id=listening style="width:200px">Said<br><button style="width:180px;height:80px">in it</button></div><div id=host></div>
<ul><li id=frame style="cursor:pointer;padding:20px"><a href=#page style="display:block" onclick="hear('link')(event)">2</a></ul>
<div id=plain>About <button style="width:90%" onclick="hear('button')(event)">this</button></div>
<label id=label>Agree <input type=checkbox style="width:300px" onclick="hear('box')(event)"></label>
<script>listening.addEventListener('click', hear('listening'));
listening.firstElementChild.nextElementSibling.addEventListener('click', hear('wrong'));
host.style.cursor = 'pointer'; host.addEventListener('click', hear('host'));
host.attachShadow({mode: 'open'}).innerHTML = '<p>Words</p><button style="width:100%;height:200px">in it</button>';
host.shadowRoot.querySelector('button').addEventListener('click', hear('wrong'))</script>"""


async def test_thing_with_controls_in_it_is_pressed_where_none_of_them_is(run: Run, show: Show) -> None:
    """What is only a frame around a control is pressed in its middle."""
    await show(NESTED)
    await run("snapshot -i")  # tells the page's engine who listens
    for name in ("row", "card", "chip", "branch", "host", "listening"):
        await run("js", "n = ''")
        assert await run(f"click #{name}") == f"Clicked #{name}"
        assert await run("js n") == f"{name} "
    for name, heard in {"frame": "link ", "plain": "button ", "label": "box "}.items():
        await run("js", "n = ''")
        await run(f"click #{name}")
        assert (await run("js n")).startswith(heard)


MODAL = "{}<dialog id=asks>Sure?</dialog><script>asks.showModal()</script>"
HIDING = [
    ("<div style='display:none'>{}</div>", "is hidden", "other"),
    ("<style>iframe {{ width: 0; height: 0; border: 0 }}</style>{}", "is hidden", "same"),
    ("<div inert>{}</div>", "is blocked by <div>", "other"),
    (MODAL, "is blocked by <dialog#asks>", "same"),
]


@each(HIDING)
async def test_field_that_a_page_hides_with_its_frame_is_hidden(
    case: tuple[str, str, str], run: Run, fails: Fails, show: Show, web: Web
) -> None:
    """Ask the page around about each frame, here two of them."""
    around, why, site = case
    fields = "<input id=i><select id=s><option>a<option>b</select><input type=checkbox id=c>"
    inside = web.show(f"<iframe src='{web.show(fields)}'></iframe>")
    address = inside.replace(web.url, web.other if site == "other" else web.url)
    await show(around.format(f"<iframe src='{address}'></iframe>"))
    for _ in range(2):
        await run("frame iframe")
    is_hidden = why == "is hidden"
    for words in ("fill '#i' x", "select '#s' b"):
        failure = await fails(f"{words} --timeout 50", NotInteractable if is_hidden else Covered)
        assert why in failure.message, words
    assert await run("is visible '#i'") == str(not is_hidden).lower()
    if is_hidden:
        assert await run("wait --hidden '#i'") == "Element #i is hidden"
        assert "is there but hidden" in (await fails("wait '#i' --timeout 50", TimedOut)).message
    assert await run("js 'i.value + s.value'") == "a"


async def test_shown_frame_beside_hidden_ones_is_visible(run: Run, show: Show, web: Web) -> None:
    """Tell a frame from others by its place among them."""
    address = web.show_elsewhere("<input>")
    await show(
        "<script>customElements.define('x-a', class extends HTMLElement { connectedCallback() {"
        f" this.attachShadow({{mode: 'open'}}).innerHTML = `<iframe hidden src='{address}#1'></iframe>` }} }})</script>"
        f"<x-a></x-a><iframe hidden src='{address}#2'></iframe><iframe id=shown src='{address}#3'></iframe>"
    )
    has_loaded = (
        "new Promise((loaded) => { document.body.firstChild.onload = loaded })"  # else `fill` tells of it
    )
    insert = f"document.body.insertAdjacentHTML('afterbegin', `<iframe hidden src={address}#0></iframe>`)"
    await run("js", f"{insert}; await {has_loaded}")
    await run("frame '#shown'")
    assert await run("is visible input") == "true"
    assert await run("fill input x") == "Filled input"


async def test_control_is_reached_by_what_it_stands_in(run: Run, show: Show, web: Web, fails: Fails) -> None:
    """Check a box in the row that ticks it (w2ui); hover a disabled button that its box explains."""
    await show(f"<iframe width=600 height=300 src={web.show(LETS_THROUGH)}></iframe>")
    await run("frame iframe")
    box = "'tr:nth-child(2) input'"
    assert await run(f"check {box}") == "Checked tr:nth-child(2) input\n→ through what is drawn in its place"
    ticked = "js '[...document.querySelectorAll(`input`)].map(box => box.checked)'"
    assert await run(ticked) == "[false,true]"
    assert await run(f"check {box}") == "Checked tr:nth-child(2) input (it was already)"
    assert (await run(f"click {box}")).startswith("Clicked")
    assert await run(ticked) == "[false,false]"
    assert await run("hover button") == "Hovered button"
    assert await run("is visible '#tip'") == "true"
    await run("js 'document.querySelector(`button`).disabled = false'")
    assert "which it is in: it takes no presses" in (await fails("click button --timeout 50", Covered)).message
    await run("frame main")


async def test_a_field_that_is_only_to_be_read_is_told_within_about_a_second(
    run: Run, show: Show, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refuse a field that a calendar fills. While the page is at work it may yet become one to be filled."""
    monkeypatch.setattr(readiness, "WAIT_SECONDS", 60.0)
    await show("<input id=f readonly value=x>")
    failure = await fails("fill '#f' y", NotInteractable, timeout=20_000)
    assert failure.message == "<input#f> is read-only"
    await run("js", "fetch('/hang'); setTimeout(() => { f.readOnly = false }, 1600); 0")
    assert await run("fill '#f' y") == "Filled #f"


FOLLOWS = """<body style="margin: 0; height: 1500px"><button id=b style="margin-top: 120px">Range</button>
<div id=p style="position: fixed; left: 0; top: 0; width: 200px; height: 640px"><button id=apply style="position: absolute; EDGE: 4px" onclick="document.title = 'applied'">Apply</button></div>
<script>const place = () => { p.style.transform = `translate(8px, ${b.getBoundingClientRect().bottom}px)` }; place(); FOLLOW</script>"""


async def test_popup_that_follows_its_button_is_scrolled_with_it(run: Run, show: Show, fails: Fails) -> None:
    """Leave a page where it was where nothing follows."""
    await run("viewport 800x600")
    follow = "onscroll = () => requestAnimationFrame(place)"
    await show(FOLLOWS.replace("FOLLOW", follow).replace("EDGE", "bottom"))
    assert await run("click '#apply'") == "Clicked #apply"
    assert await run("js document.title") == "applied"
    await show(FOLLOWS.replace("FOLLOW", f"{follow}; scrollTo(0, 600)").replace("EDGE", "top"))
    await run("wait --js 'apply.getBoundingClientRect().top < 0'")  # it follows a frame after the scrolling
    assert await run("click '#apply'") == "Clicked #apply"
    await show(FOLLOWS.replace("FOLLOW", "").replace("EDGE", "bottom"))
    assert "cannot be scrolled to" in (await fails("click '#apply' --timeout 300", NotInteractable)).message
    assert await run("js scrollY") == "0"


SCROLLED_TO = {
    "beside a header that fills most of a low window": f"<div style='position: fixed; inset: 0 0 auto; height: 440px; background: red'></div><p style='height: 900px'>Above<p>{PRESSED.replace('<button', '<button style=height:80px')}<p style='height: 900px'>",
    "by its words, since it has no box": f"<p style='height: 3000px'>Above<p>Or {PRESSED.replace('<button', '<button style=display:contents')}<p style='height: 3000px'>",
}


@each(SCROLLED_TO)
async def test_element_is_scrolled_to_where_a_press_reaches_it(where: str, run: Run, show: Show) -> None:
    await run("viewport 800x500")
    await show(SCROLLED_TO[where])
    for command in ("click button", "click text=Go"):
        await run("js", "document.title = ''; scrollTo(0, 0)")
        assert (await run(command)).startswith("Clicked"), command
        assert await run("title") == "pressed"


COVERS_ITSELF = """<style>#over { position: fixed; inset: 0 auto auto 0; width: 300px; height: 200px; display: none }</style>
<button id=b>Save</button><div id=over><p>Please rate us first</p><button onclick="over.remove()">No</button></div><script>heard = 0
b.addEventListener('mouseover', () => { over.style.display = 'block'; heard++ }, { once: true })</script>"""


async def test_cover_that_comes_with_the_pointer_is_named(run: Run, show: Show, fails: Fails) -> None:
    """Refuse the press, and say of a hover what lies over it now."""
    cover = '<p> "Please rate us first"'
    await run("mouse move 700 500")
    await show(COVERS_ITSELF)
    failure = await fails("click '#b' --button right --timeout 300", Covered)
    assert failure.message == f'<button#b> "Save" is covered by {cover}'
    await run("mouse move 700 500")
    await show(COVERS_ITSELF)
    assert await run("hover '#b'") == f"Hovered #b\n→ {cover} lies over it now"
    assert await run("js heard") == "1"


TOOLTIP = """<style>button { display: block; height: 30px; width: 160px } .tip { display: none; position: absolute; width: 160px;
    height: 40px; background: #ccc } .b:hover + .tip { display: block }</style><button class=b>First</button><div class=tip>Tooltip</div>
    <button onclick="document.title = 'pressed'">Second</button><div id=veil style="position: fixed; inset: 100px 0 0 0"></div>
    <button style="margin-top: 60px">Third</button>"""


@pytest.mark.both_browsers
async def test_menu_that_the_pointer_keeps_open_over_a_target_is_left(
    run: Run, show: Show, fails: Fails
) -> None:
    """Leave it within the time that is given, and take no second one for what stays wherever the pointer is."""
    await show(TOOLTIP)
    await run("click text=First")
    await run("click text=Second --timeout 1500")
    assert await run("js", "document.title") == "pressed"
    began = time.monotonic()
    covered = await fails("click text=Third --timeout 3000", Covered)
    assert covered.message.endswith("is covered by <div#veil>")
    assert time.monotonic() - began < 5.5


async def test_element_that_takes_no_presses_says_why(show: Show, fails: Fails) -> None:
    """Name what is inert, and how a link for the keyboard is reached."""
    await show(
        "<main id=app inert><button>Save</button></main><p>Words"
        "<a href=#app style='position:absolute;left:-9999px'>Skip to content</a>"
    )
    refused = await fails("click button --timeout 300", Covered)
    assert refused.message == '<button> "Save" is inert, by <main#app> "Save": it takes no presses'
    refused = await fails("click a --timeout 300", NotInteractable)
    assert refused.hint == "A link for the keyboard: 'focus <target>', then 'press Enter'"
