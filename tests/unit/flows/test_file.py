import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.errors import UsageError
from gstack_browse.flows import file as flow_file
from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.identity import Identity, from_engine, parse_note, render_note, with_chosen
from gstack_browse.flows.words import Variable, Word, literal, render_line, split_line
from tests.each import each_row

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)


@st.composite
def words(draw: st.DrawFn) -> Word:
    parts: list[str | Variable] = []
    for part in draw(st.lists(TEXTS.filter(bool) | NAMES.map(Variable), max_size=4)):
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(part)
    return Word(tuple(parts))


IDENTITIES = st.builds(
    lambda texts, within, order, shared, chosen: with_chosen(
        from_engine({**texts, "within": within, "order": order, "shared": shared}), chosen
    ),
    st.dictionaries(st.sampled_from(["name", "id", "testid", "field", "near", "hint", "href"]), TEXTS),
    st.lists(TEXTS.filter(lambda text: text.strip() and "<" not in text and "‹" not in text), max_size=3),
    st.just(None) | st.tuples(st.integers(1, 99), st.integers(1, 99)),
    st.lists(st.sampled_from(["testid", "id", "field", "href"])),
    st.lists(TEXTS, max_size=3),
)


@given(st.lists(words(), min_size=1, max_size=5), IDENTITIES)
def test_rendered_words_and_notes_are_read_again(line: list[Word], identity: Identity) -> None:
    assert split_line(render_line([literal("click"), *line])) == [literal("click"), *line]
    note = render_note(identity)
    assert "\n" not in note
    assert parse_note(note) == identity


@given(
    st.lists(
        st.tuples(
            st.lists(words(), max_size=3),
            st.lists(IDENTITIES, max_size=2),
            st.integers(0, 9),
            st.lists(st.sampled_from(["POST **/save", "GET **/a?**", "PUT **/'x\"#$y"]), max_size=2),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_rendered_flow_is_read_again(lines: list[tuple[list[Word], list[Identity], int, list[str]]]) -> None:
    steps = tuple(
        Step((literal("click"), *words), tuple(notes), tab, tuple(failures))
        for words, notes, tab, failures in lines
    )
    names = dict.fromkeys(flow_file.variables_used(steps))
    flow = Flow(
        steps, tuple(flow_file.Variable(name, is_secret=place % 2 == 0) for place, name in enumerate(names))
    )
    read = flow_file.parse(flow_file.render(flow))
    parts, read_parts = (
        [(one.words, one.identities, one.opens_tab, one.failures) for one in of] for of in (steps, read.steps)
    )
    assert read_parts == parts
    assert read.variables == flow.variables


@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(
            ["# gbrowse flow 1", "#@", "click", "'", '"', "$", "$x", "# var x", "\n", " ", "\\", "|"]
        )
    ).map("".join)
)
def test_any_text_is_a_flow_or_a_usage_error(text: str) -> None:
    for candidate in (text, f"# gbrowse flow 1\n{text}"):
        try:
            flow_file.parse(candidate)
        except UsageError as error:
            assert "line " in error.message  # noqa: PT017 - it may as well be a flow


@pytest.mark.programs
def test_line_means_what_a_shell_makes_of_it() -> None:
    values = {"x": "a-b", "yz": "c'd"}
    lines = ["a 'b c' \"d $x\" e\\ f", r"$'g\nh\t\x41\u00e4' '' \"", "pre$x'$x'${yz}post", "a#b --c=d # end"]
    for line in lines:
        command = ["bash", "-c", f"printf '%s\\0' {line}"]
        printed = subprocess.check_output(command, env={**values, "LC_ALL": "C.UTF-8"}, text=True)
        assert [word.fill(values) for word in split_line(line)] == printed.split("\0")[:-1], line


WRONG = {
    "# gbrowse flow 1\n": "the flow, line 1: the flow has no step",
    "click a": 'the flow, line 1: a flow begins with "# gbrowse flow 1"',
    "# gbrowse flow 2\nclick a": "the flow, line 1: only version 1 is known, in the first line",
    "# gbrowse flow 1\nclick a|b": "the flow, line 2, column 8: | is for a shell, which does not run flows",
    "# gbrowse flow 1\nclick $(id)": "the flow, line 2, column 7: $ begins no variable",
    '# gbrowse flow 1\nclick "$(id)"': "the flow, line 2, column 8: $ begins no variable",
    "# gbrowse flow 1\n$x a": "the flow, line 2, column 1: a command's name is no variable",
    "# gbrowse flow 1\nclick 'a": "the flow, line 2, column 7: the quotation has no end",
    "# gbrowse flow 1\nclick $x": "the flow, line 2: the variable $x is not declared",
    "# gbrowse flow 1\n# secret p = 3\nurl": "the flow, line 2: a secret has no value in a file",
    "# gbrowse flow 1\n# var p\n# var p\nurl": "the flow, line 3: the variable p is declared twice",
    '# gbrowse flow 1\n#@ button "x"': "the flow, line 2: a note stands below its step",
    "# gbrowse flow 1\nurl\n#@ button": 'the flow, line 3, column 4: a note begins with a role and a name: #@ button "Sign in"',
    '# gbrowse flow 1\nurl\n#@ button "x" size=3': 'the flow, line 3, column 15: the key "size" is unknown here, or given twice',
    '# gbrowse flow 1\nurl\n#@ button "x" shared=id/near': "the flow, line 3, column 22: shared marks are of testid, id, name and href, as testid/href",
    "# gbrowse flow 1\nurl\x07": "the flow, line 2: a control character stands in the line",
    "# gbrowse flow 1\ninclude a b": "the flow, line 2: include takes the name of one flow",
}


@each_row(*WRONG.items())
def test_wrong_flow_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        flow_file.parse(text)
    assert refused.value.message == message
