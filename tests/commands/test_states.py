"""Every verb sees the same states: those in ElementInternals, out of view, and while something fades."""

import pytest

from tests.commands.conftest import Run, Show

pytestmark = pytest.mark.same_session

ELEMENTS = """<f-check aria-label=Terms></f-check>
<f-hidden aria-label=Hidden>Hidden</f-hidden> <f-off aria-label=Off><b>Off</b></f-off>
<f-combo aria-label=Fruit><f-option>Apple</f-option><f-option>Pear</f-option></f-combo>
<f-slider aria-label=Volume>Volume</f-slider>
<p id=log></p><script>
function define(name, role, state, more = () => {}) {
    const all = new WeakMap();  // no property leads to it where the name says so
    customElements.define(name, class extends HTMLElement {
        static formAssociated = true;
        constructor() {
            super();
            const kept = this.attachInternals();
            if (name === 'f-hidden') all.set(this, kept); else this.kept = kept;
            kept.role = role;
            if (state) kept[state] = 'false';
            this.tabIndex = 0;
            this.style.cssText = 'display:inline-block;min-width:20px;min-height:20px';
            if (state) this.addEventListener('click', () => kept[state] = String(kept[state] !== 'true'));
            more(this, kept);
        }
    });
}
define('f-check', 'checkbox', 'ariaChecked');
define('f-hidden', 'switch', 'ariaChecked');
define('f-off', 'button', '', (it, kept) => kept.ariaDisabled = 'true');
define('f-option', 'option', '');
define('f-combo', 'combobox', 'ariaExpanded', (it, kept) => {
    it.attachShadow({mode: 'open'}).innerHTML = '<span id=v>Pick</span><div hidden><slot></slot></div>';
    it.addEventListener('click', event => {
        const option = event.target.closest('f-option');
        if (option) it.shadowRoot.getElementById('v').textContent = option.textContent;
        it.shadowRoot.querySelector('div').hidden = kept.ariaExpanded !== 'true';
    });
});
define('f-slider', 'slider', '', (it, kept) => {
    Object.assign(kept, {ariaValueNow: '5', ariaValueMin: '0', ariaValueMax: '10'});
    it.addEventListener('keydown', event => {
        const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key] || 0;
        kept.ariaValueNow = String(Number(kept.ariaValueNow) + step);
    });
});
</script>"""


async def test_state_in_internals_is_known_to_every_verb(run: Run, show: Show) -> None:
    """Ask before and after a snapshot has met the elements."""
    await show(ELEMENTS)
    for name in ("f-check", "f-hidden"):
        assert await run("is checked", name) == "false"
        assert await run("check", name) == f"Checked {name}"
        assert "Expected" in await run("expect checked", name)
        assert "already" in await run("check", name)
        assert await run("uncheck", name) == f"Unchecked {name}"
        await run("fill-form", f'{{"{name}": true}}')
        assert await run("is checked", name) == "true"
        assert (await run("snapshot -i")).count(" [checked") == (1 if name == "f-check" else 2)
    assert await run("is enabled f-off") == "false"
    assert await run("is disabled 'f-off b'") == "true"
    assert await run("select f-combo Pear") == 'Selected "Pear" in f-combo'
    assert await run("value f-slider") == "5"
    await run("fill f-slider 7")
    assert await run("value f-slider") == "7"


FAR = """<h1>Shop</h1><div style='height:3000px'>spacer</div>
<div style='content-visibility:auto;contain-intrinsic-size:500px'><button>Farther</button>
<input aria-label=Search><input type=checkbox aria-label=Agree><select aria-label=Size><option>S<option>M</select>
<p>Below the fold</p></div>"""


async def test_content_out_of_view_is_visible_to_every_verb(run: Run, show: Show) -> None:
    """Scroll back before each of them."""
    await show(FAR)
    for command, reply in {
        "is visible 'text=Farther'": "true", "click 'text=Farther'": "Clicked", "fill 'label=Search' x": "Filled", "check 'label=Agree'": "Checked",
        "select 'label=Size' M": "Selected", "expect visible 'text=Farther' --timeout 3000": "Expected",
        "wait --text 'Below the fold' --timeout 3000": "appeared", "text": "Below the fold",
    }.items():  # fmt: skip
        await run(
            "js", "new Promise(done => { scrollTo(0, 0); requestAnimationFrame(() => setTimeout(done)) })"
        )
        assert reply in await run(command), command


FADES = {
    "in": "from{opacity:0}",
    "shown": "from{opacity:0;visibility:hidden}to{opacity:1;visibility:visible}",
    "grown": "from{transform:scale(0)}",
    "slid": "from{transform:translateX(-3000px)}",
    "cut": "from{clip-path:inset(0 100% 0 0)}to{clip-path:inset(0)}",
    "high": "from{height:0}to{height:40px}",
    "toast": "0%{opacity:0}10%{opacity:1}90%{opacity:1}100%{opacity:0}",
    "pulse": "from{opacity:0}50%{opacity:1}to{opacity:0}",
    "out": "to{opacity:0}",
    "gone": "to{opacity:0;visibility:hidden}",
    "dark": "from{opacity:0}to{opacity:.01}",
    "shrunk": "from{transform:none}to{transform:scale(0)}",
}
HIDDEN = {"out", "gone", "dark", "shrunk"}
STAGE = (
    "<style>div{animation:60s both linear}#shown{animation-delay:30s}"
    "#pulse{animation-iteration-count:infinite;animation-delay:-60s}#high{overflow:hidden}"
    + "".join(
        f"@keyframes {name}{{{frames}}}#{name}{{animation-name:{name}}}" for name, frames in FADES.items()
    )
    + "</style>"
    + "".join(f"<div id={name}>word-{name}</div>" for name in FADES)
)


async def test_animation_is_judged_by_its_end(run: Run, show: Show) -> None:
    await show(STAGE)
    read, tree = await run("text"), await run("snapshot")
    shown = FADES.keys() - HIDDEN
    assert {name for name in FADES if f"word-{name}" in read} == shown
    assert {name for name in FADES if f"word-{name}" in tree} == shown
    assert [await run(f"is visible '#{name}'") for name in shown] == ["true"] * len(shown)
    for name in ("shown", "slid", "toast"):
        assert "Expected" in await run(f"expect visible '#{name}' --timeout 10000")
        assert "appeared" in await run(f"wait '#{name}' --timeout 10000")
        assert "appeared" in await run(f"wait --text word-{name} --timeout 10000")
    assert [await run(f"is hidden '#{name}'") for name in ("gone", "shrunk")] == ["true", "true"]


async def test_transition_is_judged_by_its_end(run: Run, show: Show) -> None:
    await show("""<style>.box{transition:opacity 60s,visibility 60s}.closed{opacity:0;visibility:hidden}</style>
        <div id=a class='box closed'>coming</div><div id=b class=box>leaving</div>
        <button onclick="a.classList.remove('closed');b.classList.add('closed')">Go</button>
        <style>dialog{opacity:0;transition:opacity 60s}dialog[open]{opacity:1;@starting-style{opacity:0}}</style>
        <dialog><h2>Sure?</h2><button>Yes</button></dialog><i onclick="document.querySelector('dialog').showModal()">Open</i>""")
    assert "coming" not in await run("text")
    await run("click button")
    for command in ("text", "snapshot"):
        read = await run(command)
        assert "coming" in read
        assert "leaving" not in read
    assert [await run(f"is visible '#{name}'") for name in "ab"] == ["true", "false"]
    assert "Expected" in await run("expect hidden '#b' --timeout 10000")
    await run("click 'text=Open'")
    assert "Sure?" in await run("text"), "a dialog that fades in"
    assert 'heading] "Sure?"' in await run("snapshot")
