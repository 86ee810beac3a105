import json

import pytest

from gstack_browse.errors import ManyMatches, NoMatch
from tests.commands.conftest import Fails, Run, Show
from tests.commands.hurried import hurried

pytestmark = pytest.mark.same_session

GUESTS = """<select id=guests>
<option value=0>1</option><option value=1>2</option><option value=2>3</option></select>
<select id=kind><optgroup label=Fruit><option value=f1>Apple<option value=f2>Other</optgroup>
<optgroup label=Veg><option value=v1>Leek<option value=v2>Other<option value=v3>Straße 1</optgroup></select>
<select id=size><option value=s>Small size<option value=l>Large size<option value=x disabled>Large</select>
<select id=twins><option>-<option value=a>Same<option value=a>Same</select>"""


MEANT = {
    ("#guests", "2"): "1", ("#guests", "0"): "0", ("#kind", "apple"): "f1", ("#kind", "v2"): "v2", ("#kind", "Veg / Other"): "v2",
    ("#kind", "veg > other"): "v2", ("#kind", "STRASSE 1"): "v3", ("#size", "Small"): "s", ("#twins", "Same"): "a",
}  # fmt: skip
"""A field and a word → the value that it means."""


async def test_select_prefers_the_label_then_the_value_then_a_part(run: Run, show: Show) -> None:
    """Mean by a word the same in a form."""
    with hurried():
        for command in ("select", "fill-form"):
            await show(GUESTS)
            for (target, word), value in MEANT.items():
                words = [target, word] if command == "select" else [json.dumps({target: word})]
                await run(command, *words)
                assert (command, word, await run("value", target)) == (command, word, value)


async def test_select_of_an_ambiguous_word_lists_the_options(fails: Fails, show: Show) -> None:
    await show(GUESTS)
    with hurried():
        for word, ways in {
            "Other": ['"Fruit / Other" (value f2)', '"Veg / Other" (value v2)'],
            "e": ['"Fruit / Apple" (value f1)', '"Veg / Leek" (value v1)'],
        }.items():
            reply = await fails("select '#kind'", ManyMatches, word)
            assert all(way in reply.hint for way in ways)
            reply = await fails("fill-form", ManyMatches, json.dumps({"#kind": word}))
            assert all(way[-10:] in reply.hint for way in ways)  # it repeats no values
        await fails("select '#kind' plum", NoMatch)
