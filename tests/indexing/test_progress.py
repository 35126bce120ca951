"""How far a run is: one number that only grows, over all phases."""

from cairn.indexing.progress import SyncStep


def test_the_share_grows_through_all_phases() -> None:
    steps = (
        SyncStep("looking"),
        *(SyncStep("indexing", 0, 4, done, 100) for done in (0, 50, 100, 120)),
        SyncStep("publishing", 4, 4, 100, 100),
    )
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[1] < shares[2] < shares[3] == shares[4] <= shares[5] < 1


def test_a_run_without_bytes_is_not_stuck() -> None:
    assert SyncStep("indexing").share > SyncStep("looking").share
