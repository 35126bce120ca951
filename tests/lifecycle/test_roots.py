"""Which tracked codebase a path belongs to."""

import pytest

from cairn.lifecycle.roots import effective_root

ROOTS = ("/src/app", "/src/app/vendor/lib", "/src/application", "/")


@pytest.mark.requirement("LOCK.9")
@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/src/app", "/src/app"),
        ("/src/app/inner/deep", "/src/app"),
        ("/src/app/vendor/lib/x", "/src/app/vendor/lib"),
        ("/src/app/vendor", "/src/app"),
        ("/src/application/x", "/src/application"),
        ("/src/apple", "/"),
    ],
)
def test_a_subdirectory_belongs_to_the_deepest_tracked_root(path: str, root: str) -> None:
    assert effective_root(path, ROOTS) == root


@pytest.mark.requirement("LOCK.9")
def test_a_path_of_no_tracked_root_has_none() -> None:
    assert effective_root("/src", ("/src/app",)) is None
    assert effective_root("/src/apple", ("/src/app",)) is None
    assert effective_root("/src", ()) is None
