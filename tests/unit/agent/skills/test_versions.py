import itertools

from hypothesis import given
from hypothesis import strategies as st
from packaging.version import InvalidVersion, Version

from gstack_browse.agent.skills import manifest
from tests.each import each_row

IN_ORDER = (
    "1.dev0 1.0.dev456 1.0a1 1.0a2.dev456 1.0a12.dev456 1.0a12 1.0b1.dev456 1.0b2 1.0b2.post345.dev456 1.0b2.post345 "
    "1.0rc1.dev456 1.0rc1 1.0 1.0+abc.5 1.0+abc.7 1.0+5 1.0.post456.dev34 1.0.post456 1.0.15 1.1.dev1 2!0.1"
)
numbers = st.integers(0, 30).map(str)
texts = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "1!", "v"]),
        st.lists(numbers, min_size=1, max_size=4).map(".".join),
        st.sampled_from(["", "a1", ".alpha2", "-beta", "b3", "rc1", "_c2", "preview4", "pre"]),
        st.sampled_from(["", "-3", ".post2", "rev4", "-r5", ".post"]),
        st.sampled_from(["", ".dev0", "dev7", "-dev", ".dev12"]),
        st.sampled_from(["", "+local", "+1.2", "+1.a", "+ubuntu-1"]),
    ),
)


def test_the_order_of_the_specification() -> None:
    for lower, higher in itertools.pairwise(IN_ORDER.split()):
        assert manifest.is_higher(higher, lower), (higher, lower)
        assert not manifest.is_higher(lower, higher)


@given(texts, texts)
def test_versions_are_ordered_as_by_the_reference_implementation(left: str, right: str) -> None:
    assert manifest.is_higher(left, right) == (Version(left) > Version(right))
    assert manifest.is_prerelease(left) == Version(left).is_prerelease


@given(st.text(st.sampled_from("0123456789.!+-_abcdevpostrc v"), max_size=12))
def test_versions_are_recognised_as_by_the_reference_implementation(text: str) -> None:
    try:
        is_version = bool(Version(text))
    except InvalidVersion:
        is_version = False
    assert (manifest.sort_key(text) is not None) == is_version


@each_row(
    (["0.1", "0.3", "0.10", "0.2"], "0.2", "0.10"),
    (["0.3rc1", "0.2.1"], "0.2", "0.2.1"),
    (["0.3rc1", "0.2.1"], "0.3b1", "0.3rc1"),
    (["0.1", "nonsense", "9" * 200], "0.2", ""),
    ([], "0.2", ""),
)
def test_only_a_higher_version_is_offered(offered: list[str], current: str, newest: str) -> None:
    assert manifest.newest(offered, current) == newest
