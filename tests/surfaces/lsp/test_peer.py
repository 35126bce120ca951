"""Requests of the server's own, and what an editor may say to them."""

import asyncio
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from cairn.surfaces.lsp.peer import Peer
from cairn.surfaces.lsp.types import RpcError


def test_whatever_an_editor_answers_is_taken_once() -> None:
    answers: tuple[dict[str, Any], ...] = (
        {"result": {"a": 1}},
        {"error": {"code": 7, "message": "no"}},
        {"error": 1},
        {},
    )
    assert asyncio.run(_asked(answers)) == [{"a": 1}, "no", "it gives no reason", None]


async def _asked(answers: tuple[dict[str, Any], ...]) -> list[Any]:
    target, found = io.BytesIO(), []
    peer = Peer({}, pytest.fail)
    peer.write_to(target)
    for answer in answers:
        asking = asyncio.ensure_future(peer.ask("window/ask", {"question": 1}))
        await asyncio.sleep(0)
        number = json.loads(target.getvalue().rpartition(b"\r\n")[2])["id"]
        peer.answered("never asked", answer)
        peer.answered(number, answer)
        peer.answered(number, {"result": "another"})
        try:
            found.append(await asking)
        except RpcError as error:
            found.append(error.message)
        peer.answered(number, {"result": "late"})
    return found


def test_what_goes_wrong_in_a_message_is_told_and_the_next_one_is_taken() -> None:
    target = io.BytesIO()
    logged: list[str] = []
    peer = Peer(
        {"break": lambda _: dict[str, int]()["gone"], "refuse": _refuse, "go": lambda params: params}, logged.append
    )
    peer.write_to(target)
    assert not peer.take("break", None, 1)
    assert not peer.take("break", None, None)
    assert not peer.take("refuse", None, 2)
    assert peer.take("go", {"done": True}, 3)
    said = [json.loads(each.partition(b"\r\n\r\n")[2]) for each in target.getvalue().split(b"Content-Length")[1:]]
    assert [each.get("error", {}).get("code") for each in said] == [-32603, -32803, None]
    assert said[2]["result"] == {"done": True}
    assert logged == ["break: KeyError: 'gone'"]


def _refuse(_: Any) -> None:
    raise RpcError("Not so.", -32803)


def test_what_is_taken_back_is_worked_at_no_longer() -> None:
    assert asyncio.run(_cancelled(lambda peer: peer.take("$/cancelRequest", {"id": 1}, None))) == {1: -32800, 2: None}
    assert asyncio.run(_cancelled(Peer.cancel_all)) == {1: -32800, 2: -32800}


async def _cancelled(cancel: Callable[[Peer], object]) -> dict[int, int | None]:
    """The error of each of two requests, of which some were taken back while they were worked at."""
    target, may_end = io.BytesIO(), asyncio.Event()
    peer = Peer({"work": lambda _: may_end.wait()}, pytest.fail)
    peer.write_to(target)
    for number in (1, 2):
        assert peer.take("work", None, number)
    await asyncio.sleep(0)
    cancel(peer)
    may_end.set()
    while target.getvalue().count(b"Content-Length") < 2:
        await asyncio.sleep(0)
    said = [json.loads(each.partition(b"\r\n\r\n")[2]) for each in target.getvalue().split(b"Content-Length")[1:]]
    return {each["id"]: each.get("error", {}).get("code") for each in said}
