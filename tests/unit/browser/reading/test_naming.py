from gstack_browse.browser.reading.evaluate import replace_refs
from tests.each import each_row


@each_row(
    ("@e3.click()", "$ref_e3.click()", ["e3"]),
    ("@e3.id + @c1.id + @e3.x", "$ref_e3.id + $ref_c1.id + $ref_e3.x", ["e3", "c1"]),
    ("'@e3'", "'@e3'", []),
    ('"a\\"@e3"', '"a\\"@e3"', []),
    ("`${@e3.id} @e4`", "`${$ref_e3.id} @e4`", ["e3"]),
    ("`${{a: `@e1${@e2}`}.a} @e5` + @e6", "`${{a: `@e1${$ref_e2}`}.a} @e5` + $ref_e6", ["e2", "e6"]),
    ("// @e3\n@e4", "// @e3\n$ref_e4", ["e4"]),
    ("/* @e3 */ 1", "/* @e3 */ 1", []),
    ("a@e3", "a@e3", []),
    ("@e0", "@e0", []),
    ("`unfinished ${@e1", "`unfinished ${$ref_e1", ["e1"]),
)
def test_refs_are_found_outside_of_strings_and_comments(code: str, named: str, refs: list[str]) -> None:
    assert replace_refs(code) == (named, refs)
