import pytest

from gstack_browse.snapshot.numbers import RefNumbers
from gstack_browse.snapshot.render import NOTES, render
from gstack_browse.snapshot.tree import Options, Tree
from tests.unit.snapshot.trees import rows, tree

PAGE = tree("""
main
  heading "Sign in" [level=1]
  list
    listitem
      text "Or"
      link "Sign up"
  textbox "Email" [focused, required]: me@example.com
  generic
    button "Go"
""")
ACTIONS = Options(interactive=True)


def test_button_that_is_nothing_but_another_one_is_printed_once() -> None:
    page = tree("""
button "Generate"
  button "Generate"
button
  button [collapsed, popup=dialog]
    button
button "More"
  button "Close"
button "Both"
  button "Both"
  button "Both"
""")
    assert render(page, ACTIONS).split("\n") == [
        '@e2 [button] "Generate"',
        "@e4 [button] [collapsed] [popup=dialog]",
        '@e6 [button] "More"',
        '  @e7 [button] "Close"',
        '@e8 [button] "Both"',
        '  @e9 [button] "Both"',
        '  @e10 [button] "Both"',
    ]


def test_lines_are_left_out_by_their_depth_or_as_unnamed_structure() -> None:
    text = render(PAGE, Options(compact=True))
    assert "[list]" not in text
    assert text.startswith('@e2 [heading] "Sign in"')
    assert render(PAGE, Options(depth=0)) == "@e1 [main]"
    assert "[listitem]" not in render(PAGE, Options(depth=1))
    assert render(Tree([], [], [], [])) == "(no accessible elements found)"
    assert render(tree('heading "x"'), ACTIONS) == "(no interactive elements found)"


def test_names_are_escaped_and_cut_unless_all_is_asked_for() -> None:
    one = tree("button")
    one.names[0] = 'Say "hi" \\'
    assert render(one) == '@e1 [button] "Say \\"hi\\" \\\\"'
    one.names[0] = "x" * 10_000
    assert len(render(one)) < 500
    assert len(render(one, Options(max_chars=None))) > 10_000


def test_long_runs_are_folded_to_the_budget_or_cut_and_counted() -> None:
    text = render(rows(1000), Options(max_chars=5000))
    assert 4000 < len(text) <= 5000
    assert "more rows like these" in text
    assert "snapshot -s @e1 --rows" in text
    assert text.splitlines()[-1].endswith("characters saved; --all prints everything, --find TEXT searches it)")
    lists = tree("\n".join("list\n" + "  listitem: Some words here\n" * 50 for _ in range(3)))
    assert render(lists, Options(max_chars=4500)).count("more items like these") == 1
    assert render(lists, Options(max_chars=1500)).count("more items like these") == 3
    flat = tree("\n".join(f'{"heading" if n % 2 else "button"} "A rather long name {n}"' for n in range(2000)))
    text = render(flat, Options(max_chars=2000))
    assert len(text) < 2600
    assert "more lines" in text


def test_characters_said_to_be_saved_are_the_rest() -> None:
    page = rows(1000)
    page.states[5], page.values[9], page.nodes[13] = "checked, disabled", "a value", -3
    text = render(page, Options(max_chars=5000))
    saved = int(text.splitlines()[-1].removeprefix("(").partition(" ")[0].replace(",", ""))
    shown = text[: text.rindex("\n")]
    assert len(shown) + saved == len(render(page, Options(max_chars=None)))


def test_interactive_says_of_which_lists_a_page_draws_a_part() -> None:
    """List no lists that are drawn whole, nor those with nothing to operate."""
    pages = {
        "scrollable: 2 of about 900 items in view": True,
        "scrollable: 2 of 40 rows in view": True,
        "scrollable: 1 of 2 items in view": False,
        "scrollable": False,
    }
    for said, is_shown in pages.items():
        page = f'generic [{said}]\n  listitem: One\n    button "a"\n  listitem: Two\n    button "b"\n'
        lines = render(tree(page), ACTIONS).split("\n")
        assert len(lines) == 2 + is_shown
        assert (said in lines[0]) is is_shown
        empty = page.replace("button", "paragraph")
        assert "no interactive" in render(tree(empty), ACTIONS)


def test_states_and_listeners_that_were_too_many_are_said() -> None:
    page = tree('textbox "Name"')
    page.states = {0: 'invalid, description="Eight, at least", error="Too, short"'}
    page.unseen_listeners = 1234
    first, second, *_ = render(page).split("\n")
    assert first == '@e1 [textbox] "Name" [invalid] [description="Eight, at least"] [error="Too, short"]'
    assert second.startswith("(1,234 more elements listen for clicks")


@pytest.mark.parametrize("name", ["plain", 'a"' * 30, "\\b" * 30, "", "long " * 90])
@pytest.mark.parametrize("given", [0, 99_990])
def test_lines_printed_unmeasured_fit_the_limit(name: str, given: int) -> None:
    """Never print more than was asked for where a page is not measured, as it surely fits."""
    made = tree("\n".join(f'button "{name}" [pressed, level=2, focused]: value {7 * n}' for n in range(40)))
    made.hints = dict.fromkeys(range(40), ".trash") if not name else {}
    made.numbers = RefNumbers(next_e=given + 1)
    whole = render(made, Options(interactive=True, max_chars=None))
    for limit in range(500, len(whole) + NOTES, 409):
        printed = render(made, Options(interactive=True, max_chars=limit))
        told = sum(len(line) + 1 for line in printed.split("\n") if not line.startswith(("…", "(")))
        assert told <= limit * 1.1 + 1
    longest = render(made, Options(interactive=True, max_chars=len(whole) + 40 * 20 + NOTES))
    assert longest == whole or "long" in name


def test_render_interactive_lists_separators_and_scrollbars_with_a_value() -> None:
    page = 'main\n  separator\n  separator "Split": 40\n  scrollbar "Down": 3\n  scrollbar\n  button "Go"'
    lines = render(tree(page), ACTIONS).split("\n")
    expected = ['[separator] "Split": 40', '[scrollbar] "Down": 3', '[button] "Go"']
    assert [line.partition(" ")[2] for line in lines] == expected


def test_dialog_that_can_be_operated_is_listed_and_modal_one_with_its_text() -> None:
    page = tree(f"""
alertdialog
  heading "Delete" [level=2]
  generic
    text "Sure?"
  link "more": of it
    text "inside"
  paragraph: {"word " * 40}
dialog "Delete" [modal]
  heading "Delete" [level=2]
  text "Delete"
dialog [modal, description="Told"]
  paragraph: Told
dialog "Beside"
  button "Close"
dialog "Empty"
  paragraph: Nothing to press
""")
    words = f"Delete Sure? {'word ' * 40}"
    lines = render(page, ACTIONS).split("\n")
    assert [line for line in lines if "dialog" in line] == [
        f"@e1 [alertdialog]: {words[:149]}…",
        '@e6 [dialog] "Delete" [modal]',
        '@e8 [dialog] [modal] [description="Told"]',
        '@e10 [dialog] "Beside"',
    ]
    assert "[alertdialog]\n" in render(page, Options())


def test_a_clickable_box_around_a_control_of_its_name_is_not_listed() -> None:
    """List it where the control is disabled or called something else, and where it holds more."""
    box = 'clickable "Save" [listener]\n  button "{}"{}'
    listed = '@c1 [generic] "Save" [listener]\n  @e2 [button] '
    for page, lines in {
        box.format("Save", ""): '@e2 [button] "Save"',
        box.format("Save", " [disabled]"): f'{listed}"Save" [disabled]',
        box.format("Store", ""): f'{listed}"Store"',
        box.format("Save", "") + '\n  text "all"': f'{listed}"Save"',
    }.items():
        assert render(tree(page), ACTIONS) == lines
