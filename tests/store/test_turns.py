"""What the last look left behind is believed where all of it is there."""

import os
from pathlib import Path

from cairn.store.turns import LastTurn, last_turn, write_turn


def test_a_row_that_is_not_whole_is_no_turn(tmp_path: Path) -> None:
    fd = os.open(tmp_path / "turn", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        assert last_turn(fd) is None
        last = LastTurn("clock", 12345, "me", 7)
        write_turn(fd, last)
        assert last_turn(fd) == last
        row = os.pread(fd, 4096, 0)
        for place in range(len(row) - 1):
            os.pwrite(fd, bytes([row[place] ^ 1]), place)
            assert last_turn(fd) is None
            os.pwrite(fd, row[place : place + 1], place)
        assert last_turn(fd) == last
    finally:
        os.close(fd)
