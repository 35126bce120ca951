"""Lines that are no message are answered, and the next one is read."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from cairn.surfaces.mcp.lines import CheckedLines, refusal_of
from tests.surfaces.mcp.client import Raw

PING = b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
BAD = [
    (b"no json at all", -32700, None),
    (b'{"jsonrpc": "2.0", "id": 1, "method": ', -32700, None),
    (b"\xff\xfe", -32700, None),
    (b"[" * 100_000, -32700, None),
    (b"[" + PING + b"]", -32600, None),
    (b"3", -32600, None),
    (b'{"id": 4, "method": "ping"}', -32600, 4),
    (b'{"jsonrpc": "2.0", "id": true, "method": 1}', -32600, None),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "\\ud800"}}', -32600, 5),
    (b'{"jsonrpc": "2.0", "id": "\\udfff", "method": "ping"}', -32600, None),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
    (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
    (b'{"jsonrpc": "2.0", "id": 9e999, "method": "ping"}', -32600, None),
]


@pytest.mark.parametrize(("line", "code", "number"), BAD)
def test_what_is_no_message_is_refused_with_its_reason(line: bytes, code: int, number: int | None) -> None:
    refusal = refusal_of(line)
    assert refusal is not None
    assert (refusal.error.code, refusal.id) == (code, number)
    assert len(refusal.error.message) < 200


@pytest.mark.parametrize("line", [b"\xff\xfe", b"\xff\xfe\n", PING.decode().encode("utf-16")])
def test_what_is_not_in_utf_8_is_told_as_that(line: bytes) -> None:
    refusal = refusal_of(line)
    assert refusal is not None
    assert refusal.error.message == "The line is not in UTF-8."


def test_a_message_passes() -> None:
    assert refusal_of(PING) is None
    assert refusal_of(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}') is None
    assert refusal_of(b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": "\\ud83d\\ude00"}}') is None


def test_a_line_that_is_too_long_is_refused_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"x" * 250 + b"\n\n" + PING + b"\n" + b"y" * 101)
    refused: list[Any] = []

    async def refuse(error: Any) -> None:
        refused.append(error.error.message)

    async def read() -> list[str]:
        with (tmp_path / "lines").open("rb") as file:
            return [line async for line in CheckedLines(file, refuse, 100)]

    assert [json.loads(line)["id"] for line in anyio.run(read)] == [7]
    assert len(refused) == 2


@pytest.mark.slow
def test_a_server_answers_every_bad_line_and_goes_on(home: Path) -> None:
    with Raw(home) as raw:
        assert raw.process.stdout is not None
        for line, code, number in BAD:
            raw.write(line)
            told = json.loads(raw.process.stdout.readline())
            assert (told["error"]["code"], told["id"]) == (code, number)
        assert raw.ask("ping", {})["result"] == {}
