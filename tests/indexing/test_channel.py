"""Messages between parent and worker: whole, in order, and without anybody waiting for ever."""

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from cairn.indexing.worker import Channel, read_message, wait, write_message

LARGE = os.urandom(3_000_000)


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    ours, theirs = socket.socketpair()
    channel = Channel(ours)
    yield channel, theirs
    channel.close()
    theirs.close()


def all_of(channel: Channel, count: int) -> list[bytes]:
    found: list[bytes] = []
    while len(found) < count:
        assert wait([channel], 60.0), "nothing came"
        came, alive = channel.move()
        found += map(bytes, came)
        assert alive or len(found) == count
    return found


def test_messages_of_any_size_arrive_whole_and_in_order(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    sent = [b"", b"x", LARGE, b"", b"last"]

    def writing() -> None:
        for message in sent:
            write_message(theirs, message)

    writer = threading.Thread(target=writing)
    writer.start()
    assert all_of(channel, len(sent)) == sent
    writer.join()


def test_sending_more_than_fits_waits_for_nobody(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    channel.send(LARGE)
    channel.send(b"next")
    assert channel.unsent

    answers: list[bytes] = []

    def answering() -> None:
        for _ in range(2):
            answers.append(bytes(read_message(theirs)))
            # It writes before it reads on, as a worker does: both directions are full at once.
            write_message(theirs, LARGE)

    worker = threading.Thread(target=answering)
    worker.start()
    assert all_of(channel, 2) == [LARGE, LARGE]
    worker.join()
    assert answers == [LARGE, b"next"]
    assert not channel.unsent


def test_what_was_said_before_the_end_is_heard(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    channel.send(b"never read")
    write_message(theirs, b"last words")
    theirs.close()
    came, alive = channel.move()
    assert ([bytes(message) for message in came], alive) == ([b"last words"], False)


def test_half_a_message_is_none(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.sendall((100).to_bytes(8, "big") + b"only a part")
    assert channel.move() == ([], True)
    theirs.close()
    assert channel.move() == ([], False)


def test_a_worker_sees_the_end_of_its_parent(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    channel.close()
    with pytest.raises(EOFError):
        read_message(theirs)


def test_waiting_ends_without_anything_to_move(ends: tuple[Channel, socket.socket]) -> None:
    assert wait([ends[0]], 0.0) == frozenset()
    assert wait([], 0.0) == frozenset()
