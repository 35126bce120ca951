"""What the daemon is answering from is not collected meanwhile, and a sync that is called off publishes nothing."""

import threading

import pytest

from cairn.errors import CancelledError
from cairn.surfaces.daemon.syncs import Brought, Syncs
from tests.surfaces.daemon.running import PATIENCE_S, serving
from tests.surfaces.daemon.running import until as happens
from tests.surfaces.daemon.test_admission import slow_question, slow_tree
from tests.trees import Repo, cairn


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
    from cairn import until

    begun = threading.Event()

    def work() -> Brought:
        begun.set()
        while True:
            until.check()

    syncs = Syncs()
    told = syncs.join("/a", work)
    assert begun.wait(PATIENCE_S)
    syncs.close()
    with pytest.raises(CancelledError):
        told.result(PATIENCE_S)
