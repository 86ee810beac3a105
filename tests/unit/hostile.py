"""Make bytes that could break a reader: well-formed ones, damaged. And say how many of them to try."""

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

FEW = 40
EXAMPLES = int(os.environ.get("GBROWSE_EXAMPLES", FEW))
tried = settings(
    max_examples=EXAMPLES,
    derandomize=EXAMPLES <= FEW,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
"""Few and always the same; `GBROWSE_EXAMPLES=20000` tries others, as many as that. `bin/test quick` tries fewer yet."""

_TELLING = [
    *(b"\0", b"\xff", b"\n", b'"', b"\\", b"{", b"[", b"\t", b"\x7f", b"\xed\xa0\x80"),
    *(b"9" * 400, b"[" * 3000, b"-1", b"1e999", b"null"),
]

_edits = st.tuples(
    st.sampled_from(["replace", "insert", "delete", "repeat", "cut"]),
    st.floats(0, 1, exclude_max=True),
    st.integers(1, 40),
    st.one_of(st.binary(min_size=1, max_size=8), st.sampled_from(_TELLING)),
)

words = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["", "\0", "\u2028", "a" * 5000, "-1", "1e400", "é" * 300, "http://[", "[::"]),
)
_LINE_ENDS = "\n \r\n \r \x0b \x0c \x1c \x1e \x85 \u2028 \u2029 \t \0 \x1b[2J \x9b2J \x7f"
_OF_YAML = "\" ' ` \\ [ ] { &a *a !x % | > @e1 yes null 12"
_INVISIBLE = "\u202e \u2066 \ufeff \u00ad \u200d \ufe0f \U000e0041 \ud800"
_SIGNS = [
    *_LINE_ENDS.split(" "),
    *_OF_YAML.split(" "),
    *_INVISIBLE.split(" "),
    *(": ", " #", "- ", "\u0301" * 40, "\u200d" * 40),
    *("--- end 012345 ---", "\u2014 end of page text", "long " * 300),
]
hostile_text = st.lists(st.one_of(st.text(max_size=6), st.sampled_from(_SIGNS)), max_size=8).map("".join)
"""What a page may say to be taken for something else: for another line, another field, our own words."""
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False), words),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=4)),
    max_leaves=8,
)


@st.composite
def damaged(draw: st.DrawFn, seed: bytes) -> bytes:
    """`seed` with a few changes in it."""
    content = seed
    for kind, where, length, piece in draw(st.lists(_edits, max_size=6)):
        at = int(where * len(content))
        rest = content[at:]
        if kind == "replace":
            content = content[:at] + piece + rest[len(piece) :]
        elif kind == "insert":
            content = content[:at] + piece + rest
        elif kind == "delete":
            content = content[:at] + rest[length:]
        elif kind == "repeat":
            content = content[:at] + rest[:length] * 3 + rest[length:]
        else:
            content = content[:at]
    return content
