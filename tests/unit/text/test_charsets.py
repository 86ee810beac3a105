import codecs

from gstack_browse.text.charsets import decode_page, find_codec
from tests.each import each_row

HELLO = "“Grüße” – 5 €"


@each_row(
    ("UTF-8", "utf-8"),
    ("ISO-8859-1", "cp1252"),
    ("us-ascii", "cp1252"),
    ("Windows-1251", "cp1251"),
    ("gb2312", "gb18030"),
    ("Big5", "big5hkscs"),
    *((label, "") for label in ("punycode", "idna", "undefined", "hex", "utf-7", "unicode_escape", "", "a\0")),
)
def test_labels_mean_what_browsers_take_them_for(label: str, codec: str) -> None:
    assert find_codec(label) == codec
    if codec:
        codecs.lookup(codec)


@each_row(
    (HELLO.encode("cp1252"), "iso-8859-1", ""),
    (HELLO.encode("cp1252"), "", "latin1"),
    (HELLO.encode(), "", "utf-16"),
    (HELLO.encode(), "", ""),
    (codecs.BOM_UTF8 + HELLO.encode(), "latin1", ""),
    (codecs.BOM_UTF16_BE + HELLO.encode("utf-16-be"), "utf-8", ""),
)
def test_pages_are_decoded_as_browsers_do(body: bytes, header: str, declared: str) -> None:
    assert decode_page(body, header, declared) == HELLO


def test_a_malformed_character_leaves_the_others() -> None:
    assert decode_page(HELLO.encode() + b"\xff!", "utf-8", "") == f"{HELLO}\ufffd!"
    assert decode_page("€ 中文".encode("gb18030") + b"\xff", "gb2312", "") == "€ 中文\ufffd"
    assert decode_page(HELLO.encode()[:-1], "", "", is_cut=True) == f"{HELLO[:-1]}\ufffd"
    assert decode_page("\ufffd ü".encode(), "", "") == "\ufffd ü"
