from gstack_browse.text.aria import tidy

SNAPSHOT = """\
- document:
  - generic [active] [ref=e1]:
    - heading "Shop [ref=e9]" [level=1] [ref=e2]
    - generic [ref=e3] [cursor=pointer]:
      - text: Password
      - textbox "Password" [ref=e4]: "hunter2: #x"
    - generic [ref=e5]: a [ref=e1] b
    - list [ref=e6]:
      - generic [ref=e7]:
        - listitem [ref=e8]: One
    - textbox "Pin" [ref=e10]: ab
    - slider [ref=e12]: "30"
    - status [ref=e15]: "[ref=e1]"
    - link "Out" [ref=e11]:
      - /url: https://example.com/?x=[ref=e1]"""

TIDY = """\
- heading "Shop [ref=e9]" [level=1]
- text: Password
- textbox "Password": "[redacted]"
- text: a [ref=e1] b
- list:
  - listitem: One
- textbox "Pin": "[redacted]"
- slider: "30"
- status: "[ref=e1]"
- link "Out":
  - /url: https://example.com/?x=[ref=e1]"""


def test_wrappers_and_marks_go_and_secrets_are_masked() -> None:
    assert tidy(SNAPSHOT, {"hunter2: #x", "ab"}) == TIDY


def test_a_field_that_happens_to_hold_part_of_a_secret_is_left_alone() -> None:
    assert tidy('- textbox "Name": abc', {"ab"}) == '- textbox "Name": abc'
