"""The one validator: four outcomes, six reasons, and no opinion about what it could not look at."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import BusyError, CorruptStoreError, DeadlineError, NotIndexedError, StorageError
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.proof import Proof, ProofOutcome, ProofReason, canonical, judge, validate_completion_proof
from tests.lifecycle.samples import NOW_SETTINGS, OTHER_SETTINGS, ROOT, marker
from tests.trees import Repo, write


def outcome(found: object, root: str = ROOT) -> tuple[str, str | None]:
    proof = validate_completion_proof(root, NOW_SETTINGS, lambda: found)  # type: ignore[arg-type,return-value]
    return str(proof.outcome), proof.reason and str(proof.reason)


@pytest.mark.requirement("SIS.2")
def test_a_whole_marker_of_this_root_and_these_settings_is_valid() -> None:
    proof = judge(marker(), ROOT, NOW_SETTINGS)
    assert proof == Proof(ProofOutcome.VALID, None, "", "run-1", "snapshot-1", 3, 7)
    assert proof.is_valid
    assert proof.marker_present is True


@pytest.mark.requirement("SIS.2")
def test_the_outcomes_and_reasons_are_those_of_the_seed_and_no_others() -> None:
    assert [str(each) for each in ProofOutcome] == ["valid", "stale_local", "fingerprint_mismatch", "probe_failed"]
    assert [str(each) for each in ProofReason] == [
        "missing_marker_doc",
        "invalid_marker_kind",
        "path_mismatch",
        "invalid_payload",
        "fingerprint_mismatch",
        "probe_failed",
    ]


@pytest.mark.requirement("SIS.2", "SIS.3", "SIS.5", "LOCK.6")
@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, ("stale_local", "missing_marker_doc")),
        (marker(kind="satori_index_completion_v1"), ("stale_local", "invalid_marker_kind")),
        (marker(kind=...), ("stale_local", "invalid_marker_kind")),
        ({}, ("stale_local", "invalid_marker_kind")),
        (marker(codebasePath="/src/other"), ("stale_local", "path_mismatch")),
        (marker(codebasePath=f"{ROOT}/inner"), ("stale_local", "path_mismatch")),
        (marker(codebasePath=...), ("stale_local", "invalid_payload")),
        (marker(codebasePath=["/src/project"]), ("stale_local", "invalid_payload")),
        (["not a document"], ("stale_local", "invalid_payload")),
        *(
            (marker(**{field: value}), ("stale_local", "invalid_payload"))
            for field in ("fingerprint", "completedAt", "runId", "snapshotId")
            for value in (..., None, 1, "")
        ),
        *(
            (marker(**{field: value}), ("stale_local", "invalid_payload"))
            for field in ("indexedFiles", "totalChunks")
            for value in (..., None, "3", -1, 3.0, True)
        ),
        (marker(fingerprint=OTHER_SETTINGS), ("fingerprint_mismatch", "fingerprint_mismatch")),
        (marker(indexedFiles=0, totalChunks=0), ("valid", None)),
    ],
)
def test_validator_reasons(found: object, expected: tuple[str, str | None]) -> None:
    """ISS-INDEX-STABILITY cycle 1: each failure has its reason."""
    assert outcome(found) == expected


@pytest.mark.requirement("SIS.2")
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"kind": "x", "codebasePath": "/other", "runId": "", "fingerprint": OTHER_SETTINGS}, "invalid_marker_kind"),
        ({"codebasePath": "/other", "runId": "", "fingerprint": OTHER_SETTINGS}, "path_mismatch"),
        ({"runId": "", "fingerprint": OTHER_SETTINGS}, "invalid_payload"),
        ({"fingerprint": OTHER_SETTINGS}, "fingerprint_mismatch"),
    ],
)
def test_the_first_check_that_fails_gives_the_reason(wrong: dict[str, object], reason: str) -> None:
    """Kind, path, payload, fingerprint: a marker of another tree doesn't ask for a reindex of this one."""
    assert outcome(marker(**wrong))[1] == reason


@pytest.mark.requirement("SIS.3", "SIS.4")
@pytest.mark.parametrize(
    "error",
    [
        BusyError("busy"),
        DeadlineError("too late"),
        CorruptStoreError("rotten"),
        StorageError("no"),
        PermissionError("not yours"),
        TimeoutError("too late"),
        ConnectionResetError("gone"),
        FileNotFoundError("removed meanwhile"),
        ValueError("no JSON"),
    ],
)
def test_a_probe_that_can_not_complete_is_probe_failed(error: Exception) -> None:
    """ISS-INDEX-STABILITY-G: transport, timeout, rights, damage and what can't be parsed are no lack of a marker."""

    def probe() -> None:
        raise error

    proof = validate_completion_proof(ROOT, NOW_SETTINGS, probe)
    assert (proof.outcome, proof.reason) == (ProofOutcome.PROBE_FAILED, ProofReason.PROBE_FAILED)
    assert str(error) in proof.detail
    assert proof.marker_present is None
    assert not proof.is_valid


@pytest.mark.requirement("SIS.3")
def test_a_successful_empty_probe_is_stale_local_missing_marker_doc() -> None:
    """ISS-INDEX-STABILITY-G."""

    def no_snapshot() -> None:
        raise NotIndexedError("nothing is here")

    for probe in (lambda: None, no_snapshot):
        proof = validate_completion_proof(ROOT, NOW_SETTINGS, probe)
        assert (proof.outcome, proof.reason) == (ProofOutcome.STALE_LOCAL, ProofReason.MISSING_MARKER_DOC)
        assert proof.marker_present is False


@pytest.mark.requirement("SIS.2")
def test_an_error_of_the_program_is_not_taken_for_a_failing_backend() -> None:
    def probe() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        validate_completion_proof(ROOT, NOW_SETTINGS, probe)


@pytest.mark.requirement("SIS.10")
def test_the_path_is_compared_by_the_canonical_root_on_both_sides(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    names = (str(real), str(link), f"{real}/", f"{link}//", f"{tmp_path}/./real", f"{real}/../link")
    for written in names:
        for asked in names:
            assert outcome(marker(codebasePath=written), asked) == ("valid", None), (written, asked)
    assert outcome(marker(codebasePath=str(tmp_path)), str(link))[1] == "path_mismatch"


@pytest.mark.requirement("SIS.10")
@pytest.mark.parametrize("path", ["", ".", "./"])
def test_a_relative_path_in_a_marker_is_not_this_folder_by_chance(
    path: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert outcome(marker(codebasePath=path), str(folder)) == ("stale_local", "path_mismatch")


@pytest.mark.requirement("SIS.10", "LOCK.6")
def test_the_writer_stores_the_canonical_root(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py")
    link = tmp_path / "link"
    link.symlink_to(repo.path)
    with Codebase(f"{link}/") as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            found = view.marker()
        assert codebase.tracking is not None
        assert codebase.tracking.proof().is_valid
    assert found is not None
    assert found["codebasePath"] == str(repo.path) == os.path.realpath(link)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(sorted(marker()))


@pytest.mark.slow
@pytest.mark.requirement("SIS.2")
@given(JSON | st.dictionaries(FIELDS, JSON))
def test_junk_is_never_valid_and_never_raises(junk: object) -> None:
    assert not judge(junk, ROOT, NOW_SETTINGS).is_valid


@pytest.mark.slow
@pytest.mark.requirement("SIS.2")
@given(FIELDS, JSON)
def test_a_marker_with_one_junk_field_is_valid_only_where_it_says_the_same(field: str, value: object) -> None:
    proof = judge(marker(**{field: value}), ROOT, NOW_SETTINGS)
    if field in ("kind", "codebasePath", "fingerprint"):
        assert proof.is_valid == (value == marker()[field])
    elif proof.is_valid:
        assert type(value) is type(marker()[field])


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_every_text_has_a_canonical_form_that_stays(path: str) -> None:
    assert canonical(canonical(path)) == canonical(path)


@pytest.mark.requirement("SIS.3")
@pytest.mark.parametrize("break_it", ["damage", "no rights"])
def test_a_store_that_can_not_be_read_is_probe_failed_and_an_empty_one_stale(
    folder: Path, break_it: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.py")
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        tracking = codebase.tracking
        assert tracking is not None
        opened: Callable[..., object] = codebase.open_view
        if break_it == "damage":
            (manifest,) = Path(codebase.store().layout.snapshots).glob("*/manifest.json")
            manifest.write_bytes(b"{")
        else:

            def refused() -> object:
                raise PermissionError(13, "Permission denied")

            monkeypatch.setattr(codebase, "open_view", refused)
        assert tracking.proof().outcome is ProofOutcome.PROBE_FAILED
        monkeypatch.setattr(codebase, "open_view", opened)
        codebase.clear()
        assert tracking.proof().reason is ProofReason.MISSING_MARKER_DOC
