"""Turns at embedding: so many at once over all processes, and nobody waits for the dead or for ever."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import CancelledError
from cairn.embed.cached import CachedEmbedder
from cairn.embed.hashing import HashingEmbedder
from cairn.embed.turns import Turns
from cairn.engines import Vectors

_HOLD = """
import sys
from cairn.embed.turns import Turns
with Turns(sys.argv[1], 1).turn():
    print("held", flush=True)
    sys.stdin.read()
"""


def held_by_another(home: Path) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        (sys.executable, "-c", _HOLD, str(home)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


@pytest.mark.slow
def test_another_process_waits_until_the_turn_is_given_back_or_its_holder_killed(tmp_path: Path) -> None:
    for how in ("ends", "killed"):
        other = held_by_another(tmp_path)
        taken = threading.Event()

        def take(taken: threading.Event = taken) -> None:
            with Turns(str(tmp_path), 1).turn():
                taken.set()

        thread = threading.Thread(target=take)
        thread.start()
        assert not taken.wait(0.2)
        if how == "killed":
            other.kill()
        other.communicate(timeout=60)
        thread.join(60)
        assert taken.is_set()


def test_there_are_as_many_turns_as_it_says_and_their_files_are_private(tmp_path: Path) -> None:
    turns = Turns(str(tmp_path), 2)
    with turns.turn(), turns.turn():
        assert [turns._tried(number) for number in range(2)] == [None, None]
    for name in ("0", "1"):
        assert stat.S_IMODE((tmp_path / "turns" / name).stat().st_mode) == 0o600


def test_nobody_waits_for_ever_or_for_a_question_that_is_over(tmp_path: Path) -> None:
    other = held_by_another(tmp_path)
    try:
        with Turns(str(tmp_path), 1, patience_s=0.1).turn():
            pass
        over = WorkBounds()
        over.cancelled.set()
        with deadline.within(over), pytest.raises(CancelledError), Turns(str(tmp_path), 1).turn():
            pass
    finally:
        other.communicate(timeout=60)


def test_a_home_that_can_not_be_written_costs_no_vector(tmp_path: Path) -> None:
    (tmp_path / "turns").write_text("no folder")
    turns = Turns(str(tmp_path))
    embedder = CachedEmbedder(HashingEmbedder(8), turns=turns)
    assert embedder.embed(["a"], ["h"]).shape == (1, 8)


def test_a_batch_is_embedded_in_a_turn(tmp_path: Path) -> None:
    class Looking(HashingEmbedder):
        def embed(self, texts: object) -> Vectors:
            # Nobody else has the only turn meanwhile.
            assert Turns(str(tmp_path), 1)._tried(0) is None
            return super().embed(texts)  # type: ignore[arg-type]

    embedder = CachedEmbedder(Looking(8), turns=Turns(str(tmp_path), 1))
    assert embedder.embed(["a"], ["h"]).shape == (1, 8)
