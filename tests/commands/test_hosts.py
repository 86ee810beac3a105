"""Test custom elements that draw a control in their shadow tree.

What is said of the host is what holds for that control.
"""

import pytest

from gstack_browse.errors import ManyMatches, NoMatch, NotInteractable
from tests.commands.conftest import Fails, Run, Show
from tests.commands.replies import ref_of

pytestmark = pytest.mark.same_session

HOSTS = """<style>x-card { display: block; padding: 0 0 200px }</style><script>
  const define = (name, markup) => customElements.define(name, class extends HTMLElement {
    connectedCallback() {
      const off = this.hasAttribute('disabled') || this.hasAttribute('off') ? 'disabled' : ''
      this.attachShadow({mode: 'open'}).innerHTML = markup.replaceAll('OFF', off) } })
  define('x-button', '<button OFF><slot></slot></button>')
  define('x-outer', '<x-button OFF><slot></slot></x-button>')
  define('x-check', '<label><input type=checkbox OFF><b><slot></slot></b></label>')
  define('x-field', '<label for=i style="display:block">Name</label><p></p><input id=i OFF><button OFF>Clear</button>')
  define('x-read', '<input readonly>')
  define('x-list', '<input role=combobox aria-expanded=false OFF><input tabindex=-1 aria-hidden=true>')
  define('x-slide', '<div role=slider tabindex=0 aria-valuenow=1 aria-disabled=true>1</div>')
  define('x-card', '<p>Long words</p><slot></slot><button disabled>Close</button>')
  define('x-pair', '<button disabled>One</button><button>Two</button>')
</script>
<x-button disabled id=b1>Save</x-button><x-button id=b2>Go</x-button><x-button off id=b3>Late</x-button><x-outer disabled id=b4>Deep</x-outer>
<x-check id=c1>Agree</x-check><x-check disabled id=c2>Off</x-check><x-check id=c3>Twice</x-check><x-check id=c4><i>Twice</i></x-check>
<x-field id=f1></x-field><x-field disabled id=f2></x-field><x-read id=f3></x-read><x-list disabled id=l1></x-list><x-list id=l2></x-list>
<x-slide id=s1></x-slide><x-card id=d1 onclick="pressed = 1">Card</x-card><x-pair id=d2></x-pair>"""

DISABLED = ("b1", "b3", "b4", "c2", "f2", "l1", "s1")
ENABLED = ("b2", "c1", "f1", "f3", "l2", "d1", "d2")


async def test_a_host_is_in_the_state_of_its_control(run: Run, show: Show, fails: Fails) -> None:
    await show(HOSTS)
    said = {host: await run(f"is disabled '#{host}'") for host in DISABLED + ENABLED}
    assert said == dict.fromkeys(DISABLED, "true") | dict.fromkeys(ENABLED, "false")
    assert (await run("expect disabled '#b1'")).startswith("Expected: ")
    assert await run("is enabled '#b1'") == "false"
    for host in ("b1", "b3", "b4"):
        assert "is disabled" in (await fails(f"click '#{host}' --timeout 50", NotInteractable)).message
    await run("click '#d1'")
    assert await run("js pressed") == "1"
    editable = [host for host in (*DISABLED, *ENABLED) if await run(f"is editable '#{host}'") == "true"]
    assert editable == ["f1", "l2"]
    assert await run("is checked #c1") == "false"
    assert await run("check #c1") == "Checked #c1"
    assert await run("is checked #c1") == "true"
    assert (await run("expect checked '#c1'")).startswith("Expected: ")


async def test_a_label_is_found_by_words_put_into_its_slot(run: Run, show: Show, fails: Fails) -> None:
    """Find it beside others, and inside of a ref."""
    await show(
        HOSTS
        + "<div role=group tabindex=0 aria-label=Both><x-check id=g>Mine</x-check></div><label>Mine <input type=checkbox id=h></label>"
    )
    for words in ("agree", '"Agree"'):
        assert (await run(f"check 'label={words}'")).startswith(f"Checked label={words}")
    assert await run("is checked label=Agree") == "true"
    assert await run("is disabled label=Off") == "true"
    await fails("check 'label=\"agree\"' --timeout 50", NoMatch)
    for label in ("Twice", "Mine"):
        await fails(f"check label={label} --timeout 600", ManyMatches)
    await run(f"check '{await ref_of(run, 'Both', '')} >> label=Mine'")
    assert await run("js", "[g.shadowRoot.querySelector('input').checked, h.checked].join()") == "true,false"
    assert await run("is disabled 'x-check >> nth=1'") == "true"


async def test_label_is_found_whose_field_calls_itself_otherwise(run: Run, show: Show, fails: Fails) -> None:
    """Find the label although its field has another name.

    As in the filters of Handsontable, and the parts of Form.io's dates. An element of that name comes first, as in Playwright.
    """
    await show("""<label><input type=checkbox aria-label=Checked id=t><span>Tesla</span></label><b id=d>Day</b>
        <label for=m>Month</label><select id=m aria-labelledby=d><option>Jan<option>Feb</select>
        <label for=h style='display: none'>Year</label><input id=h aria-label=Other>""")
    assert await run("check label=Tesla") == "Checked label=Tesla"
    assert await run("select label=Month Feb") == 'Selected "Feb" in label=Month'
    assert await run("attrs label=Day") == await run("attrs '#m'")
    await fails("check 'label=\"tesla\"' --timeout 50", NoMatch)
    await fails("fill label=Year 1 --timeout 50", NoMatch)
