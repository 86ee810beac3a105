from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from gstack_browse.agent.skills import manifest
from tests.each import each_row

numbers = st.integers(0, 30).map(str)
texts = st.builds(
    "{}{}{}".format,
    st.lists(numbers, min_size=1, max_size=4).map(".".join),
    st.sampled_from(["", "a1", "a2", "b3", "rc1"]),
    st.sampled_from(["", ".dev0", ".dev12"]),
)


@given(texts, texts)
def test_versions_are_ordered_as_by_the_reference_implementation(left: str, right: str) -> None:
    assert manifest.is_higher(left, right) == (Version(left) > Version(right))
    assert manifest.is_prerelease(left) == Version(left).is_prerelease


@each_row(
    (["0.1", "0.3", "0.10", "0.2"], "0.2", "0.10"),
    (["0.3rc1", "0.2.1"], "0.2", "0.2.1"),
    (["0.3rc1", "0.2.1"], "0.3b1", "0.3rc1"),
    (["0.1", "nonsense", "1!2", "9" * 200], "0.2", ""),
    ([], "0.2", ""),
)
def test_only_a_higher_version_is_offered(offered: list[str], current: str, newest: str) -> None:
    assert manifest.newest(offered, current) == newest
