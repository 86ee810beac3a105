"""Test that `tests.platform_facts` counts facts. A harness of a few lines stands in for the platform's own."""

from pathlib import Path

from tests import platform_facts

HARNESS = """
const tests = [];
function setup() {}
function add_completion_callback(report) {
  addEventListener('load', async () => {
    for (const test of tests) {
      [test.status, test.message] = await test.run().then(() => [0, null], (error) => [1, error.message]);
    }
    report(tests);
  });
}
window.test_driver_internal = {};
const { test_driver_internal: driver } = window;
const expects = (name, element, what, wanted) => tests.push({ name, run: async () => {
  const got = await driver[what](element());
  if (got !== wanted) throw Error(`expected ${wanted} but got ${got}`);
} });
"""
PAGE = """
<!doctype html><script src=/resources/testharness.js></script><script src=/resources/testharnessreport.js></script>
<script src=/resources/testdriver-vendor.js></script>
<button id=save>Save</button><img id=map src=map alt=Map>
<script>
  customElements.define('x-switch', class extends HTMLElement {
    inner = this.attachInternals();
    connectedCallback() { this.inner.role = 'switch'; }
  });
  expects('role', () => save, 'get_computed_role', 'button');
  expects('label', () => save, 'get_computed_label', 'Save');
  expects('another name', () => map, 'get_computed_role', 'image');
  expects('wrong', () => save, 'get_computed_label', 'Open');
  const made = () => document.body.appendChild(document.createElement('x-switch'));
  expects('made between two questions', made, 'get_computed_role', 'switch');
  expects('nowhere', () => document.createElement('button'), 'get_computed_label', '');
</script>
"""


async def test_facts_are_asked_of_the_engine_and_of_chromium(tmp_path: Path) -> None:
    """Count an element outside of the document as a fact that does not hold."""
    for name, text in {"resources/testharness.js": HARNESS, "group/page.html": PAGE}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = await platform_facts.compared(tmp_path, "group")
    assert {name for name, _ in found} == {"group/page.html"}
    ours = {subtest: wrong for (_, subtest), (wrong, _) in found.items()}
    theirs = {subtest: wrong for (_, subtest), (_, wrong) in found.items()}
    right = ["role", "label", "another name", "made between two questions"]
    assert {name for name, wrong in theirs.items() if not wrong} >= {*right}
    assert ours == {**dict.fromkeys(right, ""), "wrong": "Save, not Open", "nowhere": ours["nowhere"]}
    assert ours["nowhere"]
