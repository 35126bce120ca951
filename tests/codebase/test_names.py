"""The names of a codebase, for whoever types."""

from pathlib import Path

import pytest

from cairn.codebase import names as names_module
from cairn.codebase.codebase import Codebase
from cairn.codebase.names import NamesKept
from tests.trees import Repo, cairn


def test_names_follow_the_snapshot(repo: Repo, private_home: Path) -> None:
    repo.write("a.py", "class Lease:\n    def release(self):\n        pass\n\n\ndef relay():\n    pass\n")
    repo.write("tests/test_a.py", "def release_twice():\n    pass\n")
    root, names = str(repo.path), NamesKept(str(private_home / ".cairn"))
    with Codebase(root) as codebase:
        first = codebase.index().manifest.snapshot_id
        snapshot, found = names.like(root, "rel", 10)
        assert snapshot == first
        assert [(each.name, each.container, each.line) for each in found] == [
            ("relay", "", 6),
            ("release", "Lease", 2),
            ("release_twice", "", 1),
        ]
        assert [each.name for each in names.like(root, "Lease.r", 10)[1]] == ["release"]
        assert len(names.like(root, "rel", 2)[1]) == 2
        repo.write("a.py", "def relocate():\n    pass\n")
        codebase.index()
        assert [each.name for each in names.like(root, "rel", 10)[1]] == ["relocate", "release_twice"]


@pytest.mark.slow
def test_names_of_an_index_that_was_made_anew_are_found_at_once(repo: Repo, private_home: Path) -> None:
    root, names = str(repo.path), NamesKept(str(private_home / ".cairn"))
    for name in ("first", "second"):
        repo.write("a.py", f"def {name}():\n    pass\n")
        assert cairn("index", root).returncode == 0
        assert [each.name for each in names.like(root, name, 10)[1]] == [name]
        assert cairn("clear", root, "--yes").returncode == 0
    assert names.like(root, "second", 10) == ("", [])


def test_members_of_an_owner_are_found_among_many_names_that_begin_alike(repo: Repo, private_home: Path) -> None:
    many = "".join(f"def get_{number}():\n    pass\n\n\n" for number in range(500))
    member = "    def get_what_has_a_long_name(self):\n        pass\n"
    repo.write("a.py", f"{many}class Lease:\n{member}")
    root, names = str(repo.path), NamesKept(str(private_home / ".cairn"))
    with Codebase(root) as codebase:
        codebase.index()
        for typed in ("Lease.get", "Lease.gwhal", "Lease.long"):
            assert [each.name for each in names.like(root, typed, 10)[1]] == ["get_what_has_a_long_name"], typed


def test_names_that_were_put_together_are_kept_beside_the_index(
    repo: Repo, private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names_module, "_WORTH_KEEPING", 1)
    repo.write("a.py", "class Lease:\n    def release(self):\n        pass\n")
    repo.write("tests/test_a.py", "def release():\n    pass\n\n\ndef Release():\n    pass\n")
    root, home = str(repo.path), str(private_home / ".cairn")

    def found() -> list[tuple[str, str, str, int]]:
        rows = NamesKept(home).like(root, "rel", 10)[1]
        return [(each.name, each.path, each.container, each.line) for each in rows]

    with Codebase(root) as codebase:
        codebase.index()
        first = found()
        assert first == [
            ("release", "a.py", "Lease", 2),
            ("Release", "tests/test_a.py", "", 5),
            ("release", "tests/test_a.py", "", 1),
        ]
        (kept,) = Path(home).glob("data/*/cache/names-*")
        with monkeypatch.context() as without:
            without.setattr(names_module, "definitions_offered", None)  # nobody puts them together again
            assert found() == first
        whole = kept.read_bytes()
        # Damage, of whatever kind, costs the time to put them together.
        for damaged in (b"", whole[:40], whole[:-1] + bytes([whole[-1] ^ 1]), whole.replace(b"Lease", b"Least")):
            kept.write_bytes(damaged)
            assert found() == first
            assert kept.read_bytes() == whole
        kept.unlink()
        kept.mkdir()
        assert found() == first
        (kept.parent / f"names-{'0' * 26}").write_bytes(whole)
        repo.write("a.py", "def relocate():\n    pass\n")
        codebase.index()
        assert found()[0] == ("relocate", "a.py", "", 1)
        assert not (kept.parent / f"names-{'0' * 26}").exists()
