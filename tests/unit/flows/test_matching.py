"""Test which element a flow takes for the one that it means, and which it refuses."""

from dataclasses import replace

from gstack_browse.flows.identity import Identity
from gstack_browse.flows.matching import (
    Outcome,
    contradictions,
    decide,
    find_moved,
    find_possible,
    is_anchored_by_words,
    verify,
)
from tests.each import each

SAVE = Identity(
    role="button",
    name="Save",
    tag="button",
    id="save",
    within=('form "Profile"', "main"),
    near="Name",
    order=(1, 1),
)
ROW = Identity(
    role="button", name="Remove", tag="button", near="Quiet Kettle", within=("listitem", "list"), order=(2, 3)
)
OTHER = Identity(role="link", name="Home", tag="a", href="/")

EMAIL = Identity(role="textbox", name="Email", tag="input", id="email", order=(1, 1))


VERIFIED = {
    "the same": (SAVE, [SAVE], Outcome.MATCH),
    "another case of letters": (SAVE, [replace(SAVE, name="SAVE")], Outcome.MATCH),
    "another id": (SAVE, [replace(SAVE, id="x", near="Else")], Outcome.MATCH),
    "another name": (SAVE, [replace(SAVE, name="Delete")], Outcome.CHANGED),
    "another role": (SAVE, [replace(SAVE, role="link")], Outcome.CHANGED),
    "another form": (SAVE, [replace(SAVE, within=('form "Newsletter"',))], Outcome.CHANGED),
    "several": (SAVE, [SAVE, SAVE], Outcome.AMBIGUOUS),
    "none": (SAVE, [], Outcome.CHANGED),
    "the same row": (ROW, [ROW], Outcome.MATCH),
    "another row": (ROW, [replace(ROW, near="Jade Drum")], Outcome.CHANGED),
}


@each(VERIFIED.items())
def test_what_a_selector_finds_is_verified(case: tuple[str, tuple[Identity, list[Identity], Outcome]]) -> None:
    _, (meant, found, outcome) = case
    assert verify(meant, found).outcome is outcome


MOVED = {
    "another id and place": (SAVE, [OTHER, replace(SAVE, id="x", near="New")], 1),
    "a button's other name, its id": (SAVE, [OTHER, replace(SAVE, name="Delete all")], None),
    "a button's other name, its test id": (
        replace(SAVE, testid="save"),
        [OTHER, replace(SAVE, name="Store", testid="save")],
        1,
    ),
    "a field's other name, its id": (EMAIL, [OTHER, replace(EMAIL, name="Mail address")], 1),
    "a link's other name, its address": (OTHER, [SAVE, replace(OTHER, name="Start")], 1),
    "a link's other name, the number of a record in its address": (
        replace(OTHER, name="Blue Lantern", href="/product/13/change/"),
        [SAVE, replace(OTHER, name="Old Lantern", href="/product/13/change/")],
        None,
    ),
    "a record's other number": (
        replace(OTHER, name="Blue Lantern", href="/product/13/change/", order=(1, 1)),
        [SAVE, replace(OTHER, name="Blue Lantern", href="/product/21/change/")],
        1,
    ),
    "a field's other name, the number of its row": (
        replace(EMAIL, id="form-0-email", field="form-0-email"),
        [OTHER, replace(EMAIL, name="Mail", id="form-0-email", field="form-0-email")],
        None,
    ),
    "another role, the id": (SAVE, [OTHER, replace(SAVE, role="link")], 1),
    "another name and id": (SAVE, [OTHER, replace(SAVE, name="Store", id="x")], None),
    "the id, but the name is elsewhere": (SAVE, [replace(SAVE, name="Store"), replace(SAVE, id="x")], None),
    "two of that name": (SAVE, [replace(SAVE, id="x"), replace(SAVE, id="y")], None),
    "another form": (SAVE, [replace(SAVE, id="x", within=())], None),
    "its row among others": (ROW, [replace(ROW, near="Jade Drum"), ROW, replace(ROW, near="Red Mug")], 1),
    "no such row": (ROW, [replace(ROW, near="Jade Drum")], None),
    "the row twice": (ROW, [ROW, ROW], None),
    "a choice of the same name": (
        Identity(role="radio", name="Express", tag="input", type="radio", field="way", order=(1, 1)),
        [Identity(role="radio", name="Standard", tag="input", type="radio", field="way")],
        None,
    ),
    "an empty page": (SAVE, [], None),
}


@each(MOVED.items())
def test_only_an_element_that_is_proven_counts_as_moved(
    case: tuple[str, tuple[Identity, list[Identity], int | None]],
) -> None:
    _, (meant, found, place) = case
    finding = find_moved(meant, found)
    assert (finding.candidates[0].place if finding.outcome is Outcome.MOVED else None) == place


def test_row_that_the_selector_finds_by_its_words_may_say_other_things() -> None:
    changed = replace(ROW, near="Quiet Kettle sold out")
    assert verify(ROW, [changed]).outcome is Outcome.CHANGED
    assert verify(ROW, [changed], is_anchored=True).outcome is Outcome.MATCH
    assert verify(ROW, [replace(ROW, near="Jade Drum")], is_anchored=True).outcome is Outcome.CHANGED


def test_words_of_a_box_around_several_elements_anchor_none_of_them() -> None:
    row = 'li:has-text("Quiet Kettle") >> role=button[name="Remove"]'
    assert is_anchored_by_words(row)
    assert not is_anchored_by_words(f'main:has-text("Shop") >> {row[39:]} >> nth=1')
    draft = 'tr:has-text("Draft") >> role=button[name="Remove"]'
    assert not is_anchored_by_words(draft), "another row is the draft tomorrow"
    assert is_anchored_by_words(draft, is_by_variable=True)
    assert is_anchored_by_words(draft.replace("Draft", "#1204"))
    assert not is_anchored_by_words('ul:has-text("Quiet Kettle") >> li:nth-child(2) button')


RENAMED = {
    "a button": (SAVE, replace(SAVE, name="Delete all"), Outcome.CHANGED),
    "a field": (EMAIL, replace(EMAIL, name="Mail address"), Outcome.MOVED),
    "a link": (OTHER, replace(OTHER, name="Start"), Outcome.MOVED),
}


@each(RENAMED.items())
def test_outcome_of_a_renamed_element_is_the_same_whichever_selector_the_step_has(
    case: tuple[str, tuple[Identity, Identity, Outcome]],
) -> None:
    _, (meant, now, outcome) = case
    further = replace(ROW, order=(1, 1))
    assert decide(meant, [now], [further, now], [1]).outcome is outcome, "the selector finds it by its id"
    assert decide(meant, [], [further, now], []).outcome is outcome, "the selector has its name"


INBOX = Identity(role="link", name="Inbox 3", tag="a", href="/inbox", order=(1, 1))
TOTAL = Identity(role="button", name="12 total", tag="button", id="total", near="Items 12", order=(1, 1))
COUNTED = {
    "a count in brackets": (
        replace(INBOX, name="Inbox (3)", href=""),
        [replace(INBOX, name="Inbox (1,204)", href="")],
        Outcome.MOVED,
    ),
    "a count in brackets amid the name": (
        replace(INBOX, name="Inbox (3) unread", href=""),
        [replace(INBOX, name="Inbox (99+) unread", href="")],
        Outcome.MOVED,
    ),
    "two with a count in brackets": (
        replace(INBOX, name="Inbox (3)", href=""),
        [replace(INBOX, name="Inbox (4)", href=""), replace(INBOX, name="Inbox (5)", href="")],
        Outcome.AMBIGUOUS,
    ),
    "a year in brackets": (
        replace(INBOX, name="Report (2025)", href=""),
        [replace(INBOX, name="Report (2026)", href="")],
        Outcome.CHANGED,
    ),
    "a code in brackets": (
        replace(INBOX, name="Call (30) 1234", href=""),
        [replace(INBOX, name="Call (40) 1234", href="")],
        Outcome.CHANGED,
    ),
    "a number in brackets in a row": (
        replace(INBOX, name="Copy (2)", href="", within=("listitem", "list")),
        [replace(INBOX, name="Copy (3)", href="", within=("listitem", "list"))],
        Outcome.CHANGED,
    ),
    "a count in brackets in a list, and an address": (
        replace(INBOX, name="Inbox (2)", within=("listitem", "list")),
        [replace(INBOX, name="Inbox (3)", within=("listitem", "list"))],
        Outcome.MOVED,
    ),
    "a link's address": (INBOX, [replace(INBOX, name="Inbox 4")], Outcome.MOVED),
    "a link that is a count": (replace(INBOX, name="3"), [replace(INBOX, name="4")], Outcome.MOVED),
    "a link that is a count, which another link has now": (
        replace(INBOX, name="3"),
        [replace(INBOX, name="4"), replace(INBOX, name="3", href="/drafts?")],
        Outcome.MOVED,
    ),
    "a record's address": (
        replace(INBOX, name="Order 12", href="/order/12"),
        [replace(INBOX, name="Order 13", href="/order/13")],
        Outcome.CHANGED,
    ),
    "a record's address, and the id of its place": (
        replace(INBOX, name="Order 12", href="/order/12", id="first"),
        [replace(INBOX, name="Order 13", href="/order/13", id="first")],
        Outcome.CHANGED,
    ),
    "an address with a query": (
        replace(INBOX, name="Order 12", href="/order?"),
        [replace(INBOX, name="Order 13", href="/order?")],
        Outcome.CHANGED,
    ),
    "an address that other links had, too": (
        replace(INBOX, name="Order 12", href="/orders", shared=("href",)),
        [replace(INBOX, name="Order 13", href="/orders")],
        Outcome.CHANGED,
    ),
    "a button's id": (TOTAL, [replace(TOTAL, name="13 total", near="Items 13")], Outcome.MOVED),
    "a button's id, other words around": (
        TOTAL,
        [replace(TOTAL, name="13 total", near="Bills due 13")],
        Outcome.CHANGED,
    ),
    "a button that is a number": (
        replace(TOTAL, name="12", near=""),
        [replace(TOTAL, name="13", near="")],
        Outcome.CHANGED,
    ),
    "a button without marks": (
        replace(TOTAL, id=""),
        [replace(TOTAL, id="", name="13 total", near="Items 13")],
        Outcome.CHANGED,
    ),
    "a test id that other buttons had, too": (
        Identity(role="button", name="Delete Jade Drum", tag="button", testid="delete", shared=("testid",)),
        [Identity(role="button", name="Delete Red Mug", tag="button", testid="delete")],
        Outcome.CHANGED,
    ),
}


@each(COUNTED.items())
def test_name_with_another_number_is_proven_by_what_has_no_number(
    case: tuple[str, tuple[Identity, list[Identity], Outcome]],
) -> None:
    _, (meant, everywhere, outcome) = case
    finding = decide(meant, [], everywhere, [])
    assert finding.outcome is outcome
    assert finding.candidates, "what it may be is listed"


def test_element_that_the_selector_finds_by_a_mark_may_have_another_number_in_its_name() -> None:
    for meant, now in (
        (TOTAL, replace(TOTAL, name="13 total", near="Items 13")),
        (INBOX, replace(INBOX, name="Inbox 4")),
        (replace(INBOX, name="Inbox (3)"), replace(INBOX, name="Inbox (4)")),
    ):
        assert decide(meant, [now], [now], [0]).outcome is Outcome.MATCH
    in_row = replace(INBOX, name="Copy (2)", href="", within=("listitem", "list"))
    assert decide(in_row, [replace(in_row, name="Copy (3)")], [in_row], [-1]).outcome is not Outcome.MATCH
    other = replace(TOTAL, name="13 deleted", near="Items 13")
    assert decide(TOTAL, [other], [other], [0]).outcome is Outcome.CHANGED


LIKES = Identity(role="button", name="3", tag="button", near="Likes", order=(1, 1))
PAGE_2 = Identity(role="link", name="2", tag="a", href="/list?", near="1 3 Next", order=(1, 1))
NUMBERS = {
    "a count that another link has now": (
        replace(INBOX, name="3"),
        replace(INBOX, name="3", href="/drafts?"),
        Outcome.CHANGED,
    ),
    "a count that another button has now, by its id": (
        replace(LIKES, near="", id="likes"),
        replace(LIKES, near="", id="shares"),
        Outcome.CHANGED,
    ),
    "a count that another button has now, by the words around": (
        LIKES,
        replace(LIKES, near="Shares"),
        Outcome.CHANGED,
    ),
    "a count, and further words around": (LIKES, replace(LIKES, near="Likes this"), Outcome.MATCH),
    "a page among more pages": (PAGE_2, replace(PAGE_2, near="1 3 4 5 Next"), Outcome.MATCH),
    "a day in another month": (replace(LIKES, near="1 2 4 5"), replace(LIKES, near="30 31 1 2"), Outcome.MATCH),
    "a sign": (replace(LIKES, name="×"), replace(LIKES, name="×", near="Shares"), Outcome.MATCH),
}


@each(NUMBERS.items())
def test_number_is_no_name_of_an_element_that_its_marks_or_its_surroundings_tell_from_others(
    case: tuple[str, tuple[Identity, Identity, Outcome]],
) -> None:
    _, (meant, found, outcome) = case
    assert decide(meant, [found], [found], [0]).outcome is outcome


SKU = Identity(role="textbox", name="SKU", tag="input", id="id_sku", field="sku", order=(1, 1))
NAME = replace(SKU, name="Name", id="id_name", field="name")


def _exchanged(**sku: str) -> tuple[Identity, Identity]:
    """Return the field for names, which is called "SKU" now, and the one for SKUs, which is called "Name"."""
    marks = {mark: value.replace("sku", "name").replace("Sku", "Name") for mark, value in sku.items()}
    return replace(SKU, **{"id": "", "field": ""} | marks), replace(NAME, **{"id": "", "field": ""} | sku)


LABELLED_ANEW = {
    "exchanged labels": (SKU, _exchanged(id="id_sku", field="sku"), Outcome.AMBIGUOUS),
    "a label that is another field's": (
        SKU,
        (replace(SKU, id="id_gross", field="gross"), replace(SKU, name="Net")),
        Outcome.AMBIGUOUS,
    ),
    "a field with another id and name": (
        SKU,
        (replace(SKU, id="id_x-sku", field="x-sku"), NAME),
        Outcome.MATCH,
    ),
    "a field with another id": (SKU, (replace(SKU, id="x"), NAME), Outcome.MATCH),
    "another naming of all fields": (
        SKU,
        (replace(SKU, id="", field="productCode"), replace(NAME, id="", field="productTitle")),
        Outcome.CHANGED,
    ),
    "exchanged labels, a prefix of ids": (SKU, _exchanged(id="new-id_sku", field="sku"), Outcome.AMBIGUOUS),
    "exchanged labels, a prefix of ids and names": (
        SKU,
        _exchanged(id="new-id_sku", field="new-sku"),
        Outcome.AMBIGUOUS,
    ),
    "exchanged labels, a prefix without a hyphen": (SKU, _exchanged(id="fid_sku"), Outcome.AMBIGUOUS),
    "exchanged labels, a suffix": (SKU, _exchanged(id="id_sku-x6"), Outcome.AMBIGUOUS),
    "exchanged labels, no prefix any more": (SKU, _exchanged(id="sku"), Outcome.AMBIGUOUS),
    "exchanged labels, names in another case": (SKU, _exchanged(field="productSku"), Outcome.AMBIGUOUS),
    "exchanged labels, nothing but test ids": (
        replace(SKU, id="", field="", testid="sku"),
        (
            replace(SKU, id="", field="", testid="t-name"),
            replace(NAME, id="", field="", testid="t-sku"),
        ),
        Outcome.AMBIGUOUS,
    ),
    "exchanged labels, names with a number": (
        replace(SKU, id="", field="line1"),
        (replace(SKU, id="", field="x-line2"), replace(NAME, id="", field="x-line1")),
        Outcome.AMBIGUOUS,
    ),
    "exchanged labels of two choices that share a name": (
        replace(SKU, role="radio", type="radio", id="way-express", field="way"),
        (
            replace(SKU, role="radio", type="radio", id="x-way-standard", field="way"),
            replace(NAME, role="radio", type="radio", id="x-way-express", field="way"),
        ),
        Outcome.AMBIGUOUS,
    ),
    "exchanged labels of fields that share a name": (
        replace(SKU, field="value", shared=("field",)),
        (replace(SKU, field="value", id="new-id_name"), replace(NAME, field="value", id="new-id_sku")),
        Outcome.AMBIGUOUS,
    ),
    "exchanged labels of switches that are no fields of HTML": (
        replace(SKU, role="switch", tag="button", id="sku", field=""),
        (
            replace(SKU, role="switch", tag="button", id="x-name", field=""),
            replace(NAME, role="switch", tag="button", id="x-sku", field=""),
        ),
        Outcome.AMBIGUOUS,
    ),
    "a row further down, in which all fields have another number": (
        replace(SKU, id="form-0-sku", field="form-0-sku"),
        (
            replace(SKU, id="form-1-sku", field="form-1-sku"),
            replace(NAME, id="form-0-name", field="form-0-name"),
        ),
        Outcome.MATCH,
    ),
    "a prefix of its own group": (
        replace(SKU, id="", field="billing_sku"),
        (replace(SKU, id="", field="contact_sku"), replace(NAME, id="", field="billing_name")),
        Outcome.MATCH,
    ),
}


ROW_7 = Identity(
    role="textbox", tag="input", id="id_form-6-shelf", field="form-6-shelf", within=("row",), near="Book 07 Draft Cy Cedar", order=(7, 30)
)  # fmt: skip
SUBMIT = Identity(role="button", name="Save", tag="input", type="submit", field="_save", order=(1, 1))
OTHERS = {
    "a row whose number is another one": (ROW_7, replace(ROW_7, near="Book 08 Draft Cy Cedar")),
    "a label that was a field's which has gone": (
        replace(SKU, name="Subtitle", field="subtitle", id="id_subtitle"),
        replace(SKU, name="Subtitle", field="bk-isbn", id="id_bk-isbn"),
    ),
    "a button that tells the server something else": (SUBMIT, replace(SUBMIT, field="_addanother")),
    "a link that is called like the button": (
        SUBMIT,
        replace(SUBMIT, tag="a", type="", field="", href="/book/1/delete/"),
    ),
}


@each(OTHERS.items())
def test_verified_element_with_another_number_or_server_name_has_changed(
    case: tuple[str, tuple[Identity, Identity]],
) -> None:
    _, (meant, found) = case
    assert decide(meant, [found], [found], [0]).outcome is Outcome.CHANGED
    assert verify(meant, [meant]).outcome is Outcome.MATCH


@each(LABELLED_ANEW.items())
def test_field_that_has_the_label_is_refused_where_another_one_is_more_like_it(
    case: tuple[str, tuple[Identity, tuple[Identity, Identity], Outcome]],
) -> None:
    _, (meant, everywhere, outcome) = case
    assert decide(meant, everywhere[:1], everywhere, [0]).outcome is outcome, "the selector has the label"
    if outcome is not Outcome.MATCH:
        assert find_moved(meant, everywhere).outcome is not Outcome.MOVED, "the selector finds nothing"


def test_field_for_passwords_is_no_other_field_of_its_label() -> None:
    password = replace(SKU, name="Password", type="password", id="", field="")
    shown = replace(password, type="text")
    assert decide(password, [shown], [shown], [0]).outcome is Outcome.CHANGED
    assert decide(shown, [password], [password], [0]).outcome is Outcome.CHANGED
    assert decide(password, [], [shown], []).outcome is Outcome.CHANGED
    assert contradictions(password, shown) == ["type text, not password"]


def test_only_likely_elements_are_candidates_and_the_one_that_the_selector_finds() -> None:
    far = [OTHER, replace(OTHER, name="Help", href="/help"), EMAIL]
    assert decide(SAVE, [], far, []).candidates == ()
    assert decide(SAVE, [OTHER, EMAIL], far, [0, 2]).candidates == ()
    assert [each.place for each in decide(SAVE, [EMAIL], far, [2]).candidates] == [2]
    assert decide(SAVE, [OTHER, EMAIL], far, [0, 2]).outcome is Outcome.CHANGED
    likely = replace(SAVE, name="Store")
    assert [each.place for each in decide(SAVE, [EMAIL], [*far, likely], [2]).candidates] == [3, 2]


def test_button_whose_test_id_a_button_of_another_name_has_is_not_pressed() -> None:
    """Press neither button: either the names or the test ids were exchanged."""
    save = replace(SAVE, id="", testid="save")
    swapped = [replace(save, testid="delete"), replace(save, name="Delete")]
    assert decide(save, swapped[:1], swapped, [0]).outcome is Outcome.AMBIGUOUS
    assert find_moved(save, swapped).outcome is not Outcome.MOVED
    assert decide(save, swapped[:1], swapped[:1], [0]).outcome is Outcome.MATCH, "nothing else has the test id"
    row = ('row "Quiet Kettle Edit Delete"', "table")
    edit = Identity(
        role="button",
        name="Edit",
        tag="button",
        testid="edit",
        near="Delete",
        within=row,
        order=(2, 3),
        shared=("testid",),
    )
    now = [replace(edit, testid="", near="Edit"), replace(edit, name="Delete", near="Edit")]
    assert decide(edit, now[:1], now, [0], is_anchored=True).outcome is not Outcome.MATCH
    other = [now[0], replace(now[1], within=('row "Jade Drum Edit Delete"', "table"))]
    beside = replace(edit, near="Edit")
    assert decide(beside, other[:1], other, [0], is_anchored=True).outcome is Outcome.MATCH, (
        "another row has it"
    )


def test_row_is_told_by_its_name_and_by_the_text_near_the_element() -> None:
    edit = Identity(
        role="button",
        name="Edit",
        tag="button",
        near="Delete",
        within=('row "Quiet Kettle draft Edit Delete"',),
        order=(2, 3),
    )
    another = replace(edit, within=('row "Loud Kettle draft Edit Delete"',))
    assert decide(edit, [another], [another], [0]).outcome is Outcome.CHANGED
    post = replace(edit, near="Ann Made a rustic pillow", within=('article "Post of Ann"',))
    newer = replace(post, near="Ann Made a golden flask")
    assert decide(post, [newer], [newer], [0]).outcome is Outcome.CHANGED


def test_twin_in_a_part_of_the_page_with_another_name_is_another_one() -> None:
    street = Identity(
        role="textbox",
        name="Street",
        tag="input",
        id="a0",
        field="a0",
        near="City",
        within=('group "Billing"', "form"),
        order=(1, 2),
    )
    shipping = replace(street, within=('group "Shipping"', "form"))
    assert decide(street, [shipping], [shipping, street], [0]).outcome is not Outcome.MATCH
    unmarked = [replace(each, id="", field="") for each in (shipping, street)]
    assert find_moved(street, unmarked).outcome is Outcome.MOVED
    assert find_moved(street, unmarked).candidates[0].place == 1
    unnamed = replace(street, within=("group", "form"))
    assert decide(street, [unnamed], [unnamed, unnamed], [0]).outcome is Outcome.MATCH


def test_twin_with_no_text_around_is_told_by_the_named_part_or_its_place() -> None:
    contact = Identity(role="link", name="Contact", tag="a", within=('navigation "Main"',), order=(1, 2))
    footer = replace(contact, within=('navigation "Footer"',))
    assert decide(contact, [contact], [contact, footer], [0]).outcome is Outcome.MATCH
    assert decide(contact, [contact], [footer, contact], [1]).outcome is Outcome.MATCH
    assert decide(contact, [footer], [footer, contact], [0]).outcome is not Outcome.MATCH
    bare = replace(contact, within=())
    assert decide(bare, [bare], [bare, bare], [0]).outcome is Outcome.MATCH
    assert decide(bare, [bare], [bare, bare], [1]).outcome is Outcome.AMBIGUOUS
    assert decide(bare, [replace(bare, near="Legal")], [bare], [-1]).outcome is not Outcome.MATCH


def test_place_among_twins_that_say_the_same_is_a_proof_only_where_it_is_the_same() -> None:
    twins = [replace(ROW, near="Edit", order=(place, 3)) for place in (1, 2, 3)]
    assert decide(twins[1], twins[1:2], twins, [1]).outcome is Outcome.MATCH
    assert decide(twins[1], twins[1:2], [*twins, twins[0]], [1]).outcome is Outcome.AMBIGUOUS
    assert decide(twins[1], twins[:1], twins, [0]).outcome is Outcome.AMBIGUOUS


def test_ambiguous_elements_are_all_listed_and_are_several() -> None:
    unlike = [replace(OTHER, name=f"Help {number}") for number in range(6)]
    icon = Identity(tag="div")
    assert decide(icon, [icon, icon], [icon, *unlike, icon], [0, 7]).outcome is Outcome.AMBIGUOUS
    assert [each.place for each in decide(icon, [icon, icon], [icon, *unlike, icon], [0, 7]).candidates] == [
        0,
        7,
    ]
    renamed = replace(SAVE, name="Save all", id="x")
    one_of_several = replace(SAVE, id="", near="", order=(2, 3))
    finding = decide(one_of_several, [SAVE, renamed], [SAVE, renamed], [0, 1])
    assert finding.outcome is Outcome.CHANGED, "only one of two may be it"
    bare = Identity(role="textbox", name="SKU", tag="input", id="id_sku")
    now, rival = replace(bare, id="id_name"), replace(bare, name="Name")
    finding = decide(bare, [now], [*unlike, now, rival], [6])
    assert (finding.outcome, {each.place for each in finding.candidates}) == (Outcome.AMBIGUOUS, {6, 7})


def test_element_of_the_role_against_which_one_thing_speaks_is_possible() -> None:
    title = Identity(
        role="textbox",
        name="Title",
        tag="input",
        id="t7",
        field="t-7",
        near="Pages",
        within=("form",),
        order=(1, 1),
    )
    headline = replace(title, name="Headline", id="h", field="h-9")
    others = [OTHER, SAVE, replace(headline, within=(), near="Else"), headline]
    assert find_moved(title, others).candidates == ()
    assert [each.place for each in find_possible(title, others)] == [3]


def test_row_that_is_gone_has_changed_and_is_not_ambiguous() -> None:
    rows = [replace(ROW, near="Jade Drum"), replace(ROW, near="Red Mug"), replace(ROW, near="Pale Rug")]
    assert decide(ROW, [], rows, []).outcome is Outcome.CHANGED
    assert decide(ROW, [], [ROW, *rows, ROW], []).outcome is Outcome.AMBIGUOUS
    alike = [replace(ROW, near="Quiet Drum"), replace(ROW, near="Quiet Mug")]
    assert decide(ROW, [], alike, []).outcome is Outcome.AMBIGUOUS
    assert decide(ROW, [], alike, [], is_anchored=True).outcome is Outcome.CHANGED, "its words are not there"
    assert contradictions(SAVE, replace(SAVE, name="Delete all")) == ['name "Delete all", not "Save"']
