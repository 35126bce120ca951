"""The one rule for what may be read, by itself."""

from pathlib import Path

import pytest

from cairn.base.errors import NotIndexedError
from cairn.workspace.permission import Door, require_put_up, seen_folders


@pytest.mark.requirement("SEC.2")
@pytest.mark.parametrize(
    ("named", "seen"),
    [
        ((), ("/a", "/b/c")),
        (("/a",), ("/a",)),
        (("/a/inner",), ("/a/inner",)),
        (("/b", "/other"), ("/b/c",)),
        (("/",), ("/a", "/b/c")),
        (("/ab",), ()),
    ],
)
def test_over_tcp_a_client_narrows_what_is_put_up_and_never_widens_it(
    named: tuple[str, ...], seen: tuple[str, ...]
) -> None:
    assert seen_folders(Door.TCP, ("/b/c", "/a"), named) == seen


def test_a_program_of_the_user_sees_what_it_names() -> None:
    assert seen_folders(Door.PROGRAM, ("/a",), ("/z",)) == ("/z",)
    assert seen_folders(Door.PROGRAM, ("/a",), ()) == ("/a",)


@pytest.mark.requirement("SEC.2")
def test_over_tcp_only_what_is_put_up_is_asked(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    require_put_up(Door.TCP, (str(root),), f"{root}/inner")
    require_put_up(Door.PROGRAM, (), "/anything")
    for path in (str(tmp_path), f"{root}s", f"{root}/..", f"{root}/out", "/\0"):
        with pytest.raises(NotIndexedError):
            require_put_up(Door.TCP, (str(root),), path)
