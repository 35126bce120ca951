"""Definitions, uses and the map over a real index."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import NotIndexedError, UsageError
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.kernel.tokens import token_cost
from tests.notes import said
from tests.trees import Repo

LEASE = '''"""Leases."""


class Lease:
    """Held by one writer."""

    def release(self):
        return drop(self)


def drop(lease):
    return lease


def _hidden():
    return None
'''
USER = """from lease import Lease, drop


def work():
    lease = Lease()
    lease.release()
    return drop(lease)
"""


@pytest.fixture
def codebase(repo: Repo) -> Iterator[Codebase]:
    repo.write("src/lease.py", LEASE)
    repo.write("src/user.py", USER)
    repo.write("src/other.py", "class Lock:\n    def release(self):\n        return 1\n")
    repo.commit()
    with Codebase(str(repo.path)) as made:
        made.reindex_incremental()
        yield made


@pytest.mark.requirement("MOD.2")
def test_a_symbol_is_found_by_name_and_by_owner(codebase: Codebase) -> None:
    found = codebase.insight.symbol("release")
    assert [(item.path, item.symbol.qualified_name) for item in found] == [
        ("src/lease.py", "Lease.release"),
        ("src/other.py", "Lock.release"),
    ]
    assert [item.path for item in codebase.insight.symbol("Lock.release")] == ["src/other.py"]
    assert [item.path for item in codebase.insight.symbol("Lease::release")] == ["src/lease.py"]
    assert len(codebase.insight.symbol("nothing.release")) == 0
    assert len(codebase.insight.symbol("unheard")) == 0


@pytest.mark.requirement("MOD.2")
def test_exact_case_comes_first(repo: Repo) -> None:
    repo.write("a.py", "def LEASE(): pass\n")
    repo.write("b.py", "def lease(): pass\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.reindex_full()
        found = codebase.insight.symbol("lease")
        # Another spelling is another name: it is told, and not listed.
        assert ([item.path for item in found], found.value.otherwise) == (["b.py"], {"LEASE": 1})


@pytest.mark.requirement("MOD.2")
@pytest.mark.requirement("MOD.3")
def test_uses_come_with_place_and_user(codebase: Codebase) -> None:
    found = codebase.insight.references("drop")
    assert [(item.path, item.line, item.within, item.role, item.layer) for item in found] == [
        ("src/lease.py", 8, "Lease.release", "call", "syntactic"),
        ("src/user.py", 1, "", "import", "syntactic"),
        ("src/user.py", 7, "work", "call", "syntactic"),
    ]
    assert len(codebase.insight.references("unheard")) == 0


@pytest.mark.requirement("IDX.MUST.001")
def test_a_deleted_file_has_neither_definitions_nor_uses(codebase: Codebase, repo: Repo) -> None:
    (repo.path / "src/user.py").unlink()
    (repo.path / "src/other.py").unlink()
    codebase.reindex_incremental()
    assert [item.path for item in codebase.insight.symbol("release")] == ["src/lease.py"]
    assert {item.path for item in codebase.insight.references("drop")} == {"src/lease.py"}
    assert "src/other.py" not in codebase.insight.map().value.text()


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.007")
def test_compaction_changes_no_fact(codebase: Codebase, repo: Repo) -> None:
    repo.write("src/user.py", USER + "\n\ndef more():\n    return drop(None)\n")
    codebase.reindex_incremental()
    names = ("release", "drop", "Lease", "work", "more")
    before = [(codebase.insight.symbol(name).items, codebase.insight.references(name).items) for name in names]
    assert codebase.compact(force=True) is not None
    assert [(codebase.insight.symbol(name).items, codebase.insight.references(name).items) for name in names] == before


@pytest.mark.requirement("MOD.2")
def test_the_map_shows_what_others_use_first_and_fits_its_budget(codebase: Codebase) -> None:
    whole = codebase.insight.map().value
    assert whole.entries[0].path == "src/lease.py"
    assert {symbol.name for symbol in whole.entries[0].symbols} == {"Lease", "release", "drop"}
    assert whole.files_left_out == 0
    small = codebase.insight.map(12).value
    assert small.tokens <= 12
    assert small.files_left_out > 0
    assert "more files" in small.text()
    assert codebase.insight.map(1).value.entries == ()
    with pytest.raises(UsageError):
        codebase.insight.map(0)


@pytest.mark.requirement("BUDGET.1")
def test_a_map_never_takes_more_than_its_budget_with_all_that_it_says(codebase: Codebase) -> None:
    whole = codebase.insight.map().value
    assert (whole.files_left_out, whole.definitions_left_out, whole.rest) == (0, 0, "")
    assert token_cost(whole.text()) <= whole.full_tokens
    shown = sum(len(entry.symbols) for entry in whole.entries)
    for budget in range(1, whole.full_tokens + 1):
        made = codebase.insight.map(budget).value
        assert token_cost(made.text()) <= budget
        if budget < whole.full_tokens:
            assert made.files_left_out + made.definitions_left_out > 0
            assert "more" in made.rest or budget < 15
        if not made.files_left_out:
            assert sum(len(entry.symbols) for entry in made.entries) + made.definitions_left_out == shown
    assert codebase.insight.map(whole.full_tokens).value.entries == whole.entries


def test_an_outline_is_what_a_file_defines_in_order(codebase: Codebase) -> None:
    assert [item.symbol.qualified_name for item in codebase.insight.outline("src/lease.py")] == [
        "Lease",
        "Lease.release",
        "drop",
        "_hidden",
    ]
    with pytest.raises(NotIndexedError):
        codebase.insight.outline("src/absent.py")
    with pytest.raises(UsageError):
        codebase.insight.outline("../outside.py")


@pytest.mark.slow
def test_a_read_gives_what_the_index_knows_and_nothing_else(codebase: Codebase, repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (repo.path / "link").symlink_to(tmp_path / "secret.txt")
    (repo.path / "inner").symlink_to("src/user.py")
    repo.write(".env", "KEY=1\n")
    codebase.reindex_incremental()
    assert codebase.read("src/user.py") == codebase.read("inner") == USER
    for path in ("link", ".env", ".git/config", "src/absent.py"):
        with pytest.raises(NotIndexedError):
            codebase.read(path)
    (repo.path / "src/user.py").unlink()
    with pytest.raises(UsageError):
        codebase.read("src/user.py")


@pytest.mark.requirement("MOD.2")
def test_facts_name_their_snapshot_and_leave_out_what_is_gone_since(codebase: Codebase, repo: Repo) -> None:
    (repo.path / "src/other.py").unlink()
    repo.write("src/lease.py", LEASE + "\n# changed\n")
    found = codebase.insight.symbol("release")
    assert [item.path for item in found] == ["src/lease.py"]
    assert found.snapshot_id == codebase.store().active().snapshot_id  # type: ignore[union-attr]
    assert found.changed == {"src/lease.py"}
    assert said(found) == ("1 file left out: gone since the snapshot", "1 cited file changed since the snapshot")
    with pytest.raises(NotIndexedError, match="gone"):
        codebase.insight.outline("src/other.py")
    (repo.path / "src/user.py").unlink()
    assert {item.path for item in codebase.insight.references("drop")} == {"src/lease.py"}
    assert "src/other.py" not in codebase.insight.map().value.text()


@pytest.mark.requirement("MOD.2")
def test_a_cut_is_said_and_comes_after_the_owner(codebase: Codebase) -> None:
    found = codebase.insight.symbol("release", 1)
    assert (len(found), found.limits_hit) == (1, ("places",))
    assert [item.path for item in codebase.insight.symbol("Lock.release", 1)] == ["src/other.py"]
    assert codebase.insight.symbol("Lock.release", 1).limits_hit == ()


def test_an_owner_is_a_whole_name(repo: Repo) -> None:
    repo.write("a.py", "class BigLock:\n    def release(self): pass\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.reindex_incremental()
        assert len(codebase.insight.symbol("Lock.release")) == 0
        assert len(codebase.insight.symbol("BigLock.release")) == 1


def test_a_files_own_uses_say_nothing_about_it(repo: Repo) -> None:
    repo.write("a_self.py", "def one(): pass\n\n\n" + "one()\n" * 50)
    repo.write("b_used.py", "def two(): pass\n")
    repo.write("c_user.py", "from b_used import two\n\ntwo()\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.reindex_incremental()
        assert codebase.insight.map().value.entries[0].path == "b_used.py"


@pytest.mark.slow
@pytest.mark.requirement("MOD.2")
def test_a_full_reindex_gives_the_same_facts(codebase: Codebase) -> None:
    before = codebase.insight.symbol("release").items
    result = codebase.reindex_full()
    assert result.manifest.cause == "reindex"
    assert codebase.insight.symbol("release").items == before
    assert not codebase.index(SyncOptions()).published
