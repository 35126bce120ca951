"""A scan that only looks at stamps gives what a walk would give."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.values import replace
from cairn.config.project import IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.eligibility import SkipReason
from cairn.workspace.entries import TreeScan
from cairn.workspace.scan import Scanner
from tests.workspace.test_reads import wait_until_old


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.py", "sub/b.py", "sub/deep/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n")
    (tmp_path / ".gitignore").write_text("*.log\n")
    return tmp_path


@pytest.fixture
def scanner(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scanner]:
    """A scanner that knows the tree and counts its walks."""
    settle(tree)
    with Beneath(str(tree)) as opened:
        made = Scanner(opened, IndexSettings())
        made.scan()
        walk = made._walk

        def counted(*arguments: object) -> None:
            made.walks += 1  # type: ignore[attr-defined]
            walk(*arguments)  # type: ignore[arg-type]

        made.walks = 0  # type: ignore[attr-defined]
        monkeypatch.setattr(made, "_walk", counted)
        yield made


def settle(tree: Path) -> None:
    for path in (*tree.rglob("*"), tree):
        wait_until_old(path)


def walks(scanner: Scanner) -> int:
    return scanner.walks  # type: ignore[attr-defined, no-any-return]


def walked(tree: Path) -> TreeScan:
    with Beneath(str(tree)) as opened:
        return Scanner(opened, IndexSettings()).scan()


def same(found: TreeScan, other: TreeScan) -> bool:
    return replace(found, hashed=0, listed=0) == replace(other, hashed=0, listed=0)


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_nothing_and_edits_in_place_are_seen_without_a_walk(tree: Path, scanner: Scanner) -> None:
    assert scanner.scan().hashed == 0
    stamp = os.stat(tree / "sub/b.py")
    (tree / "sub/b.py").write_text("# sub/B.py\n")
    os.utime(tree / "sub/b.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    for _ in range(2):
        assert same(scanner.scan(), walked(tree))
    settle(tree)
    scanner.scan()
    assert scanner.scan().hashed == 0
    assert walks(scanner) == 0


@pytest.mark.requirement("CHG.1")
@pytest.mark.parametrize("change", ["add", "delete", "move", "ignore", "own_ignore", "cairnignore", "link", "binary"])
def test_every_other_change_is_walked(tree: Path, scanner: Scanner, change: str) -> None:
    before = scanner.scan()
    match change:
        case "add":
            (tree / "sub/deep/new.py").write_text("n = 1\n")
        case "delete":
            (tree / "sub/b.py").unlink()
        case "move":
            (tree / "sub/deep").rename(tree / "deep")
        case "ignore":
            (tree / ".gitignore").write_text("b.py\n")
        case "own_ignore":
            (tree / "sub/deep/.gitignore").write_text("c.py\n")
        case "cairnignore":
            (tree / ".cairnignore").write_text("sub\n")
        case "link":
            (tree / "sub/deep/c.py").unlink()
            (tree / "sub/deep/c.py").symlink_to("../b.py")
        case "binary":
            (tree / "sub/b.py").write_bytes(b"\0")
    found = scanner.scan()
    assert not same(found, before)
    assert same(found, walked(tree))
    assert same(scanner.scan(), found)
    assert walks(scanner) > 0


@pytest.mark.slow
def test_a_link_that_leads_elsewhere_is_seen(tree: Path) -> None:
    (tree / "link").symlink_to("sub/deep")
    settle(tree)
    with Beneath(str(tree)) as opened:
        scanner = Scanner(opened, IndexSettings())
        first = scanner.scan()
        (tree / "sub/deep/c.py").write_text("# other\n")
        found = scanner.scan()
    assert same(found, walked(tree))
    assert not same(first, found)


def test_a_file_that_becomes_unreadable_is_told_once(tree: Path, scanner: Scanner) -> None:
    (tree / "sub/b.py").unlink()
    os.mkfifo(tree / "sub/b.py")
    skips = scanner.scan().skips
    assert [skip.path for skip in skips if skip.reason is SkipReason.SPECIAL_FILE] == ["sub/b.py"]
