"""The names of a codebase, for whoever types."""

from pathlib import Path

from cairn.codebase.codebase import Codebase
from cairn.codebase.names import NamesKept
from tests.trees import Repo


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


def test_members_of_an_owner_are_found_among_many_names_that_begin_alike(repo: Repo, private_home: Path) -> None:
    many = "".join(f"def get_{number}():\n    pass\n\n\n" for number in range(500))
    member = "    def get_what_has_a_long_name(self):\n        pass\n"
    repo.write("a.py", f"{many}class Lease:\n{member}")
    root, names = str(repo.path), NamesKept(str(private_home / ".cairn"))
    with Codebase(root) as codebase:
        codebase.index()
        for typed in ("Lease.get", "Lease.gwhal", "Lease.long"):
            assert [each.name for each in names.like(root, typed, 10)[1]] == ["get_what_has_a_long_name"], typed
