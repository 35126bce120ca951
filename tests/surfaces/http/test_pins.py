"""What the daemon is answering from is not collected meanwhile, and a sync that is called off publishes nothing."""

import threading
from pathlib import Path

import pytest

from cairn.base.errors import BusyError
from cairn.daemon.syncs import Brought, Syncs
from tests.daemon.test_admission import slow_question, slow_tree
from tests.surfaces.http.running import PATIENCE_S, serving
from tests.surfaces.http.running import until as happens
from tests.trees import Repo, cairn


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.005", "GC.2", "OFF.1")
def test_a_request_under_way_keeps_collectors_out(tree: Repo) -> None:
    slow_tree(tree)
    answers: list[int] = []
    with serving("--no-watch") as daemon:
        thread = slow_question(daemon, tree, answers)
        happens(lambda: "cairn_inside 1" in daemon.get("/metrics").body.decode())

        def kept_out() -> bool:
            done = cairn("gc", "--force", str(tree.path))
            assert done.returncode in (0, 10)
            return done.returncode == 10 or bool(answers)

        happens(kept_out)
        assert not answers, "nothing kept the collector out while the question was asked"
        thread.join(PATIENCE_S)
        assert answers == [200]
        # The lock is held by a request, not by the process: an idle daemon keeps nobody out.
        happens(lambda: "cairn_inside 0" in daemon.get("/metrics").body.decode())
        assert cairn("gc", "--force", str(tree.path)).returncode == 0


def test_a_sync_under_way_is_called_off_when_the_daemon_ends() -> None:
    from cairn.base import deadline

    begun = threading.Event()

    def work() -> Brought:
        begun.set()
        while True:
            deadline.check()

    syncs = Syncs()
    told = syncs.join("/a", work)
    assert begun.wait(PATIENCE_S)
    syncs.call_off()
    with pytest.raises(BusyError, match="about to end") as refused:
        told.result(PATIENCE_S)
    assert refused.value.retry_after_ms
    syncs.close()


@pytest.mark.slow
def test_the_end_does_not_wait_for_a_sync_under_way_which_publishes_nothing(tree: Repo, tmp_path: Path) -> None:
    snapshots: dict[str, object] = {"root": tree.path}
    much = tmp_path / "much"
    much.mkdir()
    for number in range(800):
        lines = (f"def f_{number}_{at}(a, b):\n    return a + b * {at}\n" for at in range(40))
        (much / f"m{number}.py").write_text("\n".join(lines))
    with serving() as daemon:

        def codebase() -> dict[str, object]:
            return daemon.get("/v1/codebases").document["codebases"][0]  # type: ignore[no-any-return]

        happens(lambda: codebase()["watched"] and not codebase()["syncing"])
        before = daemon.get("/v1/snapshots", None, **snapshots).document["active"]
        # All of it at once: many seconds of work.
        much.rename(tree.path / "much")
        happens(lambda: codebase()["syncing"])
        daemon.process.terminate()
        assert daemon.process.wait(PATIENCE_S) == 0
    assert "Traceback" not in daemon.logged
    with serving("--no-watch") as daemon:
        assert daemon.get("/v1/snapshots", None, **snapshots).document["active"] == before
