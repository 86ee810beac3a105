from dataclasses import replace
from typing import Any

from gstack_browse.flows.identity import Identity
from gstack_browse.flows.matching import (
    Finding,
    Outcome,
    adopt_record,
    contradictions,
    decide,
    find_moved,
    is_acceptable,
    is_anchored_by_words,
    is_another,
    list_candidates,
    verify,
)
from tests.each import each_row

MATCH, MOVED, CHANGED, AMBIGUOUS = Outcome.MATCH, Outcome.MOVED, Outcome.CHANGED, Outcome.AMBIGUOUS
UNCOUNTED = Identity().order
TAGS = {"button": "button", "link": "a", "textbox": "input", "radio": "input", "checkbox": "input"}


def element(role: str, name: str, order: tuple[int, int] = (1, 1), **marks: Any) -> Identity:
    """Return an element of HTML that has such a role."""
    return Identity(role=role, name=name, order=order, **{"tag": TAGS[role]} | marks)


def decide_on(meant: Identity, found: Identity, *others: Identity, **more: bool) -> Finding:
    """Decide where the selector finds one element, and others are on the page."""
    return decide(meant, [found], [found, *others], [0], **more)


SAVE = element("button", "Save", id="save", within=('form "Profile"', "main"), near="Name")
ROW = element("button", "Remove", (2, 3), near="Quiet Kettle", within=("listitem", "list"))
OTHER = element("link", "Home", UNCOUNTED, href="/")
EMAIL = element("textbox", "Email", id="email")


def record(name: str, address: str) -> Identity:
    return element("link", name, href=address)


@each_row(
    ("a button's other name, its id", SAVE, [OTHER, replace(SAVE, name="Delete all")], None),
    ("a button's other name, its test id", replace(SAVE, testid="save"), [OTHER, replace(SAVE, name="Store", testid="save")], 1),
    ("a field's other name, its id", EMAIL, [OTHER, replace(EMAIL, name="Mail address")], 1),
    ("a link's other name, its address", OTHER, [SAVE, replace(OTHER, name="Start")], 1),
    ("a link's other name, the number of a record in its address", record("Blue", "/product/13/"),
     [SAVE, record("Old", "/product/13/")], None),
    ("a record's other number", record("Blue", "/product/13/"), [SAVE, record("Blue", "/product/21/")], 1),
    ("a field's other name, the number of its row", replace(EMAIL, id="form-0-email", field="form-0-email"),
     [OTHER, replace(EMAIL, name="Mail", id="form-0-email", field="form-0-email")], None),
    ("another name and id", SAVE, [OTHER, replace(SAVE, name="Store", id="x")], None),
    ("the id, but the name is elsewhere", SAVE, [replace(SAVE, name="Store"), replace(SAVE, id="x")], None),
    ("another form", SAVE, [replace(SAVE, id="x", within=())], None),
    ("its row among others", ROW, [replace(ROW, near="Jade Drum"), ROW, replace(ROW, near="Red Mug")], 1),
    ("the row twice", ROW, [ROW, ROW], None),
    ("a choice of the same name", element("radio", "Express", type="radio", field="way"),
     [element("radio", "Standard", type="radio", field="way")], None),
    ("a test id that all fields have now", replace(EMAIL, id="", field="", testid="text-input"),
     [replace(EMAIL, id="", field="", testid="text-input", name="Note"), replace(EMAIL, id="", field="", testid="text-input")], 1),
)  # fmt: skip
def test_only_an_element_that_is_proven_counts_as_moved(
    what: str, meant: Identity, found: list[Identity], place: int | None
) -> None:
    finding = find_moved(meant, found)
    assert (finding.candidates[0].index if finding.outcome is MOVED else None) == place


def test_words_by_which_a_row_is_found_anchor_it_and_no_element_of_a_box_of_several() -> None:
    changed = replace(ROW, near="Quiet Kettle sold out")
    assert verify(ROW, [changed]).outcome is CHANGED
    assert verify(ROW, [changed], is_anchored=True).outcome is MATCH
    assert verify(ROW, [replace(ROW, near="Jade Drum")], is_anchored=True).outcome is CHANGED
    moved = replace(ROW_7, id="form-8-shelf", field="form-8-shelf")
    assert verify(ROW_7, [moved], is_anchored=True).outcome is MATCH, "the row has another number"
    assert verify(ROW_7, [moved]).outcome is CHANGED
    row = 'li:has-text("Quiet Kettle") >> role=button[name="Remove"]'
    assert is_anchored_by_words(row)
    assert not is_anchored_by_words(f'main:has-text("Shop") >> {row[39:]} >> nth=1')
    draft = 'tr:has-text("Draft") >> role=button[name="Remove"]'
    assert not is_anchored_by_words(draft), "another row is the draft tomorrow"
    assert is_anchored_by_words(draft, is_by_variable=True)
    assert is_anchored_by_words(draft.replace("Draft", "#1204"))
    assert not is_anchored_by_words('ul:has-text("Quiet Kettle") >> li:nth-child(2) button')


def inbox(name: str, **marks: Any) -> Identity:
    return element("link", name, **{"href": "/inbox"} | marks)


def total(name: str, near: str = "", **marks: Any) -> Identity:
    return element("button", name, near=near, **{"id": "total"} | marks)


IN_ROW = ("listitem", "list")
TOTAL = total("12 total", "Items 12")


@each_row(
    ("a count in brackets", inbox("Inbox (3)", href=""), [inbox("Inbox (1,204)", href="")], MOVED),
    ("two with a count in brackets", inbox("Inbox (3)", href=""), [inbox("Inbox (4)", href=""), inbox("Inbox (5)", href="")], AMBIGUOUS),
    ("a year in brackets", inbox("Report (2025)", href=""), [inbox("Report (2026)", href="")], CHANGED),
    ("a code in brackets", inbox("Call (30) 1234", href=""), [inbox("Call (40) 1234", href="")], CHANGED),
    ("a number in brackets in a row", inbox("Copy (2)", href="", within=IN_ROW), [inbox("Copy (3)", href="", within=IN_ROW)], CHANGED),
    ("a count in brackets in a list, and an address", inbox("Inbox (2)", within=IN_ROW), [inbox("Inbox (3)", within=IN_ROW)], MOVED),
    ("a link's address", inbox("Inbox 3"), [inbox("Inbox 4")], MOVED),
    ("a link that is a count, which another link has now", inbox("3"), [inbox("4"), inbox("3", href="/drafts?")], MOVED),
    ("a record's address", inbox("Order 12", href="/order/12"), [inbox("Order 13", href="/order/13")], CHANGED),
    ("an address with a query", inbox("Order 12", href="/order?"), [inbox("Order 13", href="/order?")], CHANGED),
    ("a button's id", TOTAL, [total("13 total", "Items 13")], MOVED),
    ("a button's id, other words around", TOTAL, [total("13 total", "Bills due 13")], CHANGED),
    ("a button that is a number", total("12"), [total("13")], CHANGED),
    ("a test id that other buttons had, too", element("button", "Delete Jade Drum", UNCOUNTED, testid="delete", shared=("testid",)),
     [element("button", "Delete Red Mug", UNCOUNTED, testid="delete")], CHANGED),
)  # fmt: skip
def test_name_with_another_number_is_proven_by_what_has_no_number(
    what: str, meant: Identity, everywhere: list[Identity], outcome: Outcome
) -> None:
    finding = decide(meant, [], everywhere, [])
    assert finding.outcome is outcome
    assert finding.candidates, "what it may be is listed"


LIKES = element("button", "3", near="Likes")
ORDER_3 = element(
    "link", "Order 3", href="/order/3/", near="Cleo Sent March 3, 2026", within=('row "Order 3"', "table")
)
TICK_3 = element(
    "checkbox", "Select Order 3", UNCOUNTED, near="Order 3 Cleo Sent", field="selected", shared=("field",), within=('row "Order 3"',)
)  # fmt: skip
PAGE_2 = element("link", "2", href="/list?", near="1 3 Next")
PASSWORD = element("textbox", "Password", type="password")
SKU = element("textbox", "SKU", id="id_sku", field="sku")
SUBTITLE = element("textbox", "Subtitle", id="id_subtitle", field="subtitle")
SUBMIT = element("button", "Save", tag="input", type="submit", field="_save")
ROW_7 = element(
    "textbox",
    "",
    (7, 30),
    id="id_form-6-shelf",
    field="form-6-shelf",
    within=("row",),
    near="Book 07 Draft Cy Cedar",
)
KETTLE = element("button", "Edit", (2, 3), near="Delete", within=('row "Quiet Kettle draft Edit Delete"',))
POST = replace(KETTLE, near="Ann Made a rustic pillow", within=('article "Post of Ann"',))


@each_row(
    ("a mark, another number in the name", TOTAL, total("13 total", "Items 13"), MATCH),
    ("an address, another number in brackets", inbox("Inbox (3)"), inbox("Inbox (4)"), MATCH),
    ("a mark, another word in the name", TOTAL, total("13 deleted", "Items 13"), CHANGED),
    ("a count that another button has now, by its id", replace(LIKES, near="", id="likes"), replace(LIKES, near="", id="shares"), CHANGED),
    ("a count that another button has now, by the words around", LIKES, replace(LIKES, near="Shares"), CHANGED),
    ("no name, and the words beside it are another field's", replace(LIKES, name=""), replace(LIKES, name="", near="Shares"), CHANGED),
    ("no name, and further words beside it", replace(LIKES, name=""), replace(LIKES, name="", near="Likes this"), MATCH),
    ("a count, and further words around", LIKES, replace(LIKES, near="Likes this"), MATCH),
    ("a page among more pages", PAGE_2, replace(PAGE_2, near="1 3 4 5 Next"), MATCH),
    ("a day in another month", replace(LIKES, near="1 2 4 5"), replace(LIKES, near="30 31 1 2"), MATCH),
    ("a record by its number, in a row on another date", ORDER_3, replace(ORDER_3, near="Cleo Sent March 9, 2027"), MATCH),
    ("a record by its number, in a row cut elsewhere", replace(ORDER_3, near=f"Cleo 9 {'x' * 49} postp"),
     replace(ORDER_3, near=f"Cleo 10 {'x' * 49} post"), MATCH),
    ("a record by its number, in another row", ORDER_3, replace(ORDER_3, near="Ida New Feb. 1, 2026"), CHANGED),
    ("a record by its number, in another row with a mark", TICK_3, replace(TICK_3, near="Order 3 Ida Sent"), CHANGED),
    ("a row whose number is another one", ROW_7, replace(ROW_7, near="Book 08 Draft Cy Cedar"), CHANGED),
    ("a label that was a field's which has gone", SUBTITLE, replace(SUBTITLE, id="id_bk-isbn", field="bk-isbn"), CHANGED),
    ("a button that tells the server something else", SUBMIT, replace(SUBMIT, field="_addanother"), CHANGED),
    ("a link that is called like the button", SUBMIT, replace(SUBMIT, tag="a", type="", field="", href="/book/1/delete/"), CHANGED),
    ("a field that shows the password", PASSWORD, replace(PASSWORD, type="text"), CHANGED),
    ("a row by its name", KETTLE, replace(KETTLE, within=('row "Loud Kettle draft Edit Delete"',)), CHANGED),
    ("a row cut elsewhere", replace(KETTLE, within=(f'row "Name {"x" * 41} Toggle sorting"',)),
     replace(KETTLE, within=(f'row "Name + {"x" * 41} Toggle sorti"',)), MATCH),
    ("a post by the text near the button", POST, replace(POST, near="Ann Made a golden flask"), CHANGED),
)  # fmt: skip
def test_element_that_the_selector_finds_is_judged_by_its_marks_and_surroundings(
    what: str, meant: Identity, found: Identity, outcome: Outcome
) -> None:
    assert decide_on(meant, found).outcome is outcome
    assert verify(meant, [meant]).outcome is MATCH


def test_number_of_a_record_among_the_words_of_a_selector_anchors_nothing() -> None:
    """Such as `tr:has-text("Order 3") >> role=checkbox`, where numbers are given anew."""
    other = replace(TICK_3, near="Order 3 Ida Sent March")
    assert decide_on(TICK_3, other, is_anchored=True).outcome is CHANGED


NAME = replace(SKU, name="Name", id="id_name", field="name")
GRADE = element("radio", "A*", type="radio")
RADIO, SWITCH = (
    {"role": "radio", "type": "radio", "field": "way"},
    {"role": "switch", "tag": "button", "field": ""},
)


def _exchanged(**sku: str) -> tuple[Identity, Identity]:
    """Return the field for names, which is called "SKU" now, and the one for SKUs, which is called "Name"."""
    marks = {name: value.replace("sku", "name").replace("Sku", "Name") for name, value in sku.items()}
    return _fields(marks, sku)


def _fields(sku: dict[str, Any], name: dict[str, Any]) -> tuple[Identity, Identity]:
    """Return the field that is called "SKU", and the one that is called "Name", with these marks alone."""
    return replace(SKU, **{"id": "", "field": ""} | sku), replace(NAME, **{"id": "", "field": ""} | name)


@each_row(
    ("exchanged labels", SKU, _exchanged(id="id_sku", field="sku"), AMBIGUOUS),
    ("a label that is another field's", SKU, (replace(SKU, id="id_gross", field="gross"), replace(SKU, name="Net")), AMBIGUOUS),
    ("a choice without its star", GRADE, (replace(GRADE, name="A"), NAME), CHANGED),
    ("a field with another id and name", SKU, (replace(SKU, id="id_x-sku", field="x-sku"), NAME), MATCH),
    ("a label with a colon and a star, exchanged", SKU,
     (replace(SKU, name="sku*:", id="id_name", field="name"), replace(NAME, id="id_sku", field="sku")), AMBIGUOUS),
    ("another naming of all fields", SKU, _fields({"field": "productCode"}, {"field": "productTitle"}), CHANGED),
    ("exchanged labels, a prefix of ids and names", SKU, _exchanged(id="new-id_sku", field="new-sku"), AMBIGUOUS),
    ("exchanged labels, a suffix", SKU, _exchanged(id="id_sku-x6"), AMBIGUOUS),
    ("exchanged labels, names in another case", SKU, _exchanged(field="productSku"), AMBIGUOUS),
    ("exchanged labels, nothing but test ids", replace(SKU, id="", field="", testid="sku"),
     _fields({"testid": "t-name"}, {"testid": "t-sku"}), AMBIGUOUS),
    ("exchanged labels, names with a number", replace(SKU, id="", field="line1"),
     _fields({"field": "x-line2"}, {"field": "x-line1"}), AMBIGUOUS),
    ("exchanged labels of two choices that share a name", replace(SKU, id="way-express", **RADIO),
     _fields(RADIO | {"id": "x-way-standard"}, RADIO | {"id": "x-way-express"}), AMBIGUOUS),
    ("exchanged labels of two choices without ids", replace(SKU, id="", **RADIO | {"field": "way=express"}),
     _fields(RADIO | {"field": "x-way=standard"}, RADIO | {"field": "x-way=express"}), AMBIGUOUS),
    ("exchanged labels of fields that share a name", replace(SKU, field="value", shared=("field",)),
     _fields({"field": "value", "id": "new-id_name"}, {"field": "value", "id": "new-id_sku"}), AMBIGUOUS),
    ("exchanged labels of switches that are no fields of HTML", replace(SKU, id="sku", **SWITCH),
     _fields(SWITCH | {"id": "x-name"}, SWITCH | {"id": "x-sku"}), AMBIGUOUS),
    ("a prefix of its own group", replace(SKU, id="", field="billing_sku"),
     _fields({"field": "contact_sku"}, {"field": "billing_name"}), MATCH),
)  # fmt: skip
def test_field_that_has_the_label_is_refused_where_another_one_is_more_like_it(
    what: str, meant: Identity, everywhere: tuple[Identity, Identity], outcome: Outcome
) -> None:
    assert decide_on(meant, *everywhere).outcome is outcome, "the selector has the label"
    if outcome is not MATCH:
        assert find_moved(meant, everywhere).outcome is not MOVED, "the selector finds nothing"


def test_contradictions_are_told_in_words() -> None:
    shown = replace(PASSWORD, type="text")
    assert contradictions(PASSWORD, shown) == ["type text, not password"]
    assert decide(PASSWORD, [], [shown], []).outcome is CHANGED
    assert contradictions(SAVE, replace(SAVE, name="Delete all")) == ['name "Delete all", not "Save"']
    menu = element(
        "button", "Options", (1, 3), near="city", around="city 5 kinds", within=('row "city pop"', "table")
    )
    assert contradictions(menu, replace(menu, around="city 6 kinds")) == [
        'beside "city 6 kinds", not "city 5 kinds"'
    ]


def test_only_likely_elements_are_candidates_and_the_one_that_the_selector_finds() -> None:
    far = [OTHER, replace(OTHER, name="Help", href="/help"), EMAIL]
    assert decide(SAVE, [], far, []).candidates == ()
    assert decide(SAVE, [OTHER, EMAIL], far, [0, 2]).candidates == ()
    assert [each.index for each in decide(SAVE, [EMAIL], far, [2]).candidates] == [2]
    assert decide(SAVE, [OTHER, EMAIL], far, [0, 2]).outcome is CHANGED
    likely = replace(SAVE, name="Store")
    assert [each.index for each in decide(SAVE, [EMAIL], [*far, likely], [2]).candidates] == [3, 2]


def test_button_whose_test_id_a_button_of_another_name_has_is_not_pressed() -> None:
    """Press neither button: either the names or the test ids were exchanged."""
    save = replace(SAVE, id="", testid="save")
    swapped = [replace(save, testid="delete"), replace(save, name="Delete")]
    assert decide_on(save, *swapped).outcome is AMBIGUOUS
    assert find_moved(save, swapped).outcome is not MOVED
    assert decide_on(save, swapped[0]).outcome is MATCH, "nothing else has the test id"
    row = ('row "Quiet Kettle Edit Delete"', "table")
    edit = element("button", "Edit", (2, 3), testid="edit", near="Delete", within=row, shared=("testid",))
    now = [replace(edit, testid="", near="Edit"), replace(edit, name="Delete", near="Edit")]
    assert decide_on(edit, *now, is_anchored=True).outcome is not MATCH
    elsewhere = replace(now[1], within=('row "Jade Drum Edit Delete"', "table"))
    beside = replace(edit, near="Edit")
    assert decide_on(beside, now[0], elsewhere, is_anchored=True).outcome is MATCH, "another row has it"


def test_twin_is_told_by_the_named_part_of_the_page_or_by_its_place() -> None:
    billing = ('group "Billing"', "form")
    street = element("textbox", "Street", (1, 2), id="a0", field="a0", near="City", within=billing)
    shipping = replace(street, within=('group "Shipping"', "form"))
    assert decide_on(street, shipping, street).outcome is not MATCH
    unmarked = [replace(each, id="", field="") for each in (shipping, street)]
    assert find_moved(street, unmarked).outcome is MOVED
    assert find_moved(street, unmarked).candidates[0].index == 1
    assert contradictions(unmarked[1], unmarked[0]) == ['in group "Shipping", not in group "Billing"']
    region = replace(unmarked[1], within=('region "Billing"', "form"))
    assert contradictions(unmarked[1], region) == [], "the name tells a part, not its role"
    unnamed = replace(street, within=("group", "form"))
    assert decide_on(street, unnamed, unnamed).outcome is MATCH
    contact = element("link", "Contact", (1, 2), within=('navigation "Main"',))
    footer = replace(contact, within=('navigation "Footer"',))
    assert decide_on(contact, contact, footer).outcome is MATCH
    assert decide(contact, [contact], [footer, contact], [1]).outcome is MATCH
    assert decide_on(contact, footer, contact).outcome is not MATCH
    bare = replace(contact, within=())
    assert decide_on(bare, bare, bare).outcome is MATCH
    assert decide(bare, [bare], [bare, bare], [1]).outcome is AMBIGUOUS
    assert decide(bare, [replace(bare, near="Legal")], [bare], [-1]).outcome is not MATCH
    in_row = inbox("Copy (2)", href="", within=IN_ROW)
    assert decide(in_row, [replace(in_row, name="Copy (3)")], [in_row], [-1]).outcome is not MATCH
    twins = [replace(ROW, near="Edit", order=(place, 3)) for place in (1, 2, 3)]
    assert decide(twins[1], twins[1:2], twins, [1]).outcome is MATCH
    assert decide(twins[1], twins[1:2], [*twins, twins[0]], [1]).outcome is AMBIGUOUS
    assert decide(twins[1], twins[:1], twins, [0]).outcome is AMBIGUOUS


def test_ambiguous_elements_are_all_listed_and_are_several() -> None:
    unlike = [replace(OTHER, name=f"Help {number}") for number in range(6)]
    icon = Identity(tag="div")
    finding = decide(icon, [icon, icon], [icon, *unlike, icon], [0, 7])
    assert (finding.outcome, [each.index for each in finding.candidates]) == (AMBIGUOUS, [0, 7])
    renamed = replace(SAVE, name="Save all", id="x")
    one_of_several = replace(SAVE, id="", near="", order=(2, 3))
    finding = decide(one_of_several, [SAVE, renamed], [SAVE, renamed], [0, 1])
    assert finding.outcome is CHANGED, "only one of two may be it"
    bare = element("textbox", "SKU", UNCOUNTED, id="id_sku")
    now, rival = replace(bare, id="id_name"), replace(bare, name="Name")
    finding = decide(bare, [now], [*unlike, now, rival], [6])
    assert (finding.outcome, {each.index for each in finding.candidates}) == (AMBIGUOUS, {6, 7})


def _listed(meant: Identity, everywhere: list[Identity]) -> list[Identity]:
    finding = decide(meant, [], everywhere, [])
    return [everywhere[each.index] for each in list_candidates(meant, everywhere, finding)]


def test_element_with_a_mark_of_the_meant_one_is_the_first_candidate() -> None:
    product = replace(OTHER, name="Blue Lantern", href="/product/13/change/")
    renamed = replace(product, name="Red Lamp")
    assert _listed(product, [OTHER, renamed]) == [renamed], "also by the number of a record"
    choice = Identity(role="radio", name="Express", tag="input", type="radio", field="way", near="Way")
    one, other = replace(choice, name="Slow", near="Pay"), replace(choice, name="Express mail", field="x")
    assert _listed(choice, [one, other])[0] == other, "choices share the name of their field"


def test_buttons_of_the_row_are_listed_where_all_words_but_its_own_were_translated() -> None:
    row = ('row "Quiet Kettle draft Ändern Löschen"',)
    now = replace(KETTLE, name="Ändern", near="Löschen", within=row)
    assert _listed(KETTLE, [OTHER, replace(now, within=('row "Red Mug neu Ändern Löschen"',)), now]) == [now]


def test_one_element_is_proposed_where_nothing_speaks_against_it_or_it_has_the_mark() -> None:
    for found, outcome, is_proposed in (
        (replace(SAVE, id="x"), CHANGED, True),
        (replace(SAVE, id="x"), AMBIGUOUS, False),
        (replace(SAVE, name="Store"), CHANGED, True),
        (replace(SAVE, name="Store"), AMBIGUOUS, False),
        (replace(SAVE, name="Store", id="x"), CHANGED, False),
    ):
        assert is_acceptable(SAVE, found, outcome) is is_proposed
    assert not is_acceptable(ROW, replace(ROW, near="Jade Drum"), CHANGED)


def test_other_row_and_other_number_are_plainly_another_element() -> None:
    assert is_another(ROW, replace(ROW, near="Jade Drum"))
    assert is_another(TOTAL, replace(TOTAL, id="", name="13 total"))
    assert not is_another(TOTAL, replace(TOTAL, name="13 total"))
    assert not is_another(SAVE, replace(SAVE, id="", name="Store"))
    assert not is_another(replace(ROW, order=(0, 0)), replace(ROW, near="Jade Drum")), "it may have had no twin"


def test_row_of_another_record_that_is_a_button_now_is_another_element() -> None:
    row = Identity(role="listitem", name="Red Mug 5", tag="li")
    found = replace(row, role="button")
    adopted, _ = adopt_record(row, [found], ["Red Mug"], is_anchored=True)
    assert contradictions(adopted, found) == ["role button, not listitem"]
