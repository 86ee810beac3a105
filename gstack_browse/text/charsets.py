"""Find Python's codecs for the character encodings of web pages. Pure.

Source: the labels of https://encoding.spec.whatwg.org. Python knows more codecs than browsers do, and some of those are slow, or
raise other errors than a decoder's; a page may name any of them.
"""

import codecs
import re

_WEB = re.compile(
    r"utf-(?:8|16(?:-[bl]e)?)|cp(?:125[0-8]|866|874|932|949)|iso8859-(?:[2-8]|1[03-6])"
    r"|koi8-[ru]|mac-(?:roman|cyrillic)|gb18030|big5hkscs|euc_jp|iso2022_jp"
)
_AS_BROWSERS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""Codecs for which browsers take a larger one: pages have quotation marks and signs that the named one lacks."""


def find_codec(label: str) -> str:
    """Return the name of Python's codec for an encoding as pages name it; "" if browsers do not know it."""
    plain = label.strip().lower().removeprefix("x-")
    for name in (plain, plain.replace("windows-", "cp")):
        try:
            found = codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
        found = _AS_BROWSERS.get(found, found)
        return found if _WEB.fullmatch(found) else ""
    return ""


def decode_page(body: bytes, header: str, declared: str, *, is_cut: bool = False) -> str:
    """Decode the bytes of a document as browsers do, with U+FFFD for what is malformed.

    Args:
        header: The encoding that the response's header names; "" for none.
        declared: The encoding that the document names; "" for none.
        is_cut: The body may end within a character.

    A byte order mark counts first. Without any of these it is UTF-8, or Windows-1252 if it is not valid as such.
    """
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    codec_name = find_codec(declared)
    # what could be searched for the declaration is no UTF-16
    if codec := find_codec(header) or ("utf-8" if codec_name.startswith("utf-16") else codec_name):
        return body.decode(codec, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        is_utf8 = is_cut and error.start >= len(body) - 3
        return body.decode("utf-8" if is_utf8 else "cp1252", "replace")
