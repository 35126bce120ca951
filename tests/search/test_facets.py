"""The facets of a list: each counts what the others let through, and a folder opens into those beneath it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import UsageError
from cairn.base.values import replace
from cairn.search.facets import FACETS, ROLES, Listed, Narrowed, facets_of

SOME = (
    Listed("src/a/one.py", "python", "class"),
    Listed("src/a/two.py", "python", "function", 3),
    Listed("src/b/three.c", "c", "function"),
    Listed("tests/test_one.py", "python", "function"),
    Listed("README.md", "markdown", "heading"),
    Listed("conf.toml", "toml"),
)


def counted(facet: str, narrowed: Narrowed) -> dict[str, tuple[int, int]]:
    return {each.value: (each.files, each.lines) for each in facets_of(SOME, narrowed)[facet]}


def test_values_are_counted_by_files_and_lines_the_commonest_first() -> None:
    found = facets_of(SOME, Narrowed())
    assert [each.value for each in found["language"]] == ["python", "c", "markdown", "toml"]
    assert counted("language", Narrowed())["python"] == (3, 5)
    assert counted("role", Narrowed()) == {"code": (3, 5), "tests": (1, 1), "docs": (1, 1), "data": (1, 1)}
    assert counted("kind", Narrowed()) == {"function": (3, 5), "class": (1, 1), "heading": (1, 1)}


def test_a_chosen_facet_counts_its_other_values_on_and_narrows_the_others() -> None:
    chosen = Narrowed(languages=("c",))
    assert counted("language", chosen) == counted("language", Narrowed())
    assert counted("kind", chosen) == {"function": (1, 1)}
    assert counted("role", Narrowed(not_roles=("tests",))) == {"code": (3, 5), "docs": (1, 1), "data": (1, 1)}


def test_a_folder_opens_into_those_beneath_it() -> None:
    assert counted("folder", Narrowed()) == {"src": (3, 5), "tests": (1, 1)}
    assert counted("folder", Narrowed(folders=("src",))) == {"src/a": (2, 4), "src/b": (1, 1)}
    assert counted("folder", Narrowed(folders=("src/a",))) == {}
    # Where all of it lies in one folder, that tells nothing.
    assert counted("folder", Narrowed(kinds=("class", "function"), roles=("code",))) == {
        "src/a": (2, 4),
        "src/b": (1, 1),
    }
    assert not Narrowed(folders=("src/a",)).takes(Listed("src/abc.py", "python"))


def test_an_unknown_role_is_refused() -> None:
    for values in ({"roles": ("nonsense",)}, {"not_roles": ("nonsense",)}):
        with pytest.raises(UsageError, match="There is no role 'nonsense'"):
            Narrowed(**values)


_PARTS = st.sampled_from(["a", "b", "tests", "docs"])
_ENTRIES = st.builds(
    Listed,
    st.lists(_PARTS, min_size=1, max_size=4).map(lambda parts: f"{'/'.join(parts)}.x"),
    st.sampled_from(["python", "c", "markdown", "toml"]),
    st.sampled_from(["", "class", "function"]),
    st.integers(1, 9),
)


@pytest.mark.slow
@given(st.lists(_ENTRIES, max_size=20), st.sampled_from(ROLES))
def test_a_count_is_what_is_left_with_the_value_chosen(entries: list[Listed], role: str) -> None:
    narrowed = Narrowed(roles=(role,))
    for facet in FACETS:
        for each in facets_of(entries, narrowed)[facet]:
            own = replace(Narrowed(roles=(role,)), **{f"{facet}s": (each.value,)})
            left = [entry for entry in entries if own.takes(entry)]
            assert (each.files, each.lines) == (len(left), sum(entry.lines for entry in left))
