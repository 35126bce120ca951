"""Hostile requests at random through every door: always a well-formed answer, and a door that stays open."""

import json
import os
import random
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.forked import TRACEBACK, Forked
from tests.hostile.tally import Tally, rounds, seed
from tests.surfaces.http.running import Daemon, serving, small
from tests.surfaces.mcp.client import Raw
from tests.trees import Repo, cairn

_CODES = {0, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}
_STRANGE = (
    "\udcff\ud800",
    "a\0b",
    "../" * 20 + "etc/passwd",
    "/etc/passwd",
    "x" * 70_000,
    "-1",
    "99999999999999999999",
    "NaN",
    "",
    " ",
    "--",
    "%00%ff",
    "\x1b[31m\u202e",
    "[" * 5_000,
    "(a+)+$",
)
_VALUES: tuple[Any, ...] = (*_STRANGE, -1, 1 << 80, 1e308, True, None, [], {}, [[]], {"a": {"b": []}}, ["x", 1])
_COMMANDS = ("search", "symbol", "refs", "outline", "map", "imports", "impact", "read", "status", "rename", "index")
_OPTIONS = ("--json", "--limit", "--path", "--lang", "--root", "--literal", "--regex", "--mode", "--no-sync", "-k")
_TOOLS = ("search_codebase", "read_file", "list_codebases", "manage_index", "file_outline", "find_symbol", "nothing")
_NAMES = ("query", "path", "limit", "action", "name", "session", "lines", "root", "wait", "file", "regex", "mode")


def _command_line(generator: random.Random, commands: Forked, tree: Repo) -> str:
    count = generator.randrange(1, 5)
    strange = [generator.choice((*_STRANGE, *_OPTIONS)).replace("\0", "") for _ in range(count)]
    # What the system hands over is bytes, and Python shows those that are no text as surrogates.
    arguments = [generator.choice(_COMMANDS), *(os.fsdecode(each.encode("utf-8", "surrogatepass")) for each in strange)]
    ended = commands.run(*arguments, cwd=tree.path)
    shown = f"{[each[:40] for each in arguments]} -> {ended.code}: {ended.err[-300:]}"
    if ended.hung:
        return f"hung: {shown}"
    wrong = ended.code not in _CODES or ended.code == TRACEBACK or "Traceback" in ended.err
    if "--json" in arguments and ended.code not in (0, 2) and not wrong:
        json.loads(ended.out)
    return f"no well-formed answer: {shown}" if wrong else ""


def _over_http(generator: random.Random, daemon: Daemon) -> str:
    question = generator.choice(("search", "symbol", "outline", "file", "map", "command", "../x", "impact", "\u00ff"))
    values = [(generator.choice(_NAMES), str(generator.choice(_VALUES))[:9_000]) for _ in range(generator.randrange(5))]
    body = json.dumps(dict(values), ensure_ascii=True).encode() if generator.random() < 0.5 else None
    try:
        query = [(name, value.encode("utf-8", "surrogatepass")) for name, value in values]
        path = f"/v1/{urllib.parse.quote(question)}?{urllib.parse.urlencode(query + query[:1])}"
        answer = daemon.ask(generator.choice(("GET", "POST", "PUT")), path, {"Content-Type": "application/json"}, body)
    except (ConnectionError, TimeoutError) as error:
        return f"no answer to {question} {values}: {error!r}"
    if answer.status >= 500 and answer.status != 503:
        return f"{question} {str(values)[:200]} -> {answer.status} {answer.body[:300]!r}"
    if answer.headers.get("content-type", "").startswith("application/json"):
        json.loads(answer.body)
    return "" if daemon.is_alive() else "the daemon is gone"


def _over_mcp(generator: random.Random, raw: Raw) -> str:
    arguments = {generator.choice(_NAMES): generator.choice(_VALUES) for _ in range(generator.randrange(5))}
    if arguments.get("action") not in (None, "status"):
        arguments["action"] = "status"
    way = generator.random()
    if way < 0.2:
        raw.write(generator.choice((b"\xff\xfe", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b"1" * 5_000)))
    number = raw.begin("tools/call", {"name": generator.choice(_TOOLS), "arguments": arguments})
    if way > 0.8:
        raw.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    else:
        answer = raw.answer_to(number)
        if "result" not in answer and "error" not in answer:
            return f"neither result nor error: {answer}"
        if "Traceback" in json.dumps(answer) or "Unexpected" in json.dumps(answer):
            return f"a defect: {arguments} -> {json.dumps(answer)[:300]}"
    return "" if "result" in raw.ask("tools/list", {}) else "the server no longer lists its tools"


@pytest.mark.slow
@pytest.mark.long
def test_hostile_requests_get_well_formed_answers(
    tmp_path: Path, private_home: Path, record_property: Callable[[str, object], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    chosen = seed()
    generator = random.Random(chosen)
    tally = Tally("Requests", chosen)
    tree = small(tmp_path / "tree")
    assert cairn("index", cwd=tree.path).returncode == 0
    commands = Forked({})
    try:
        with serving() as daemon, Raw(private_home, tree.path) as raw:
            doors: dict[str, Callable[[], str]] = {
                "command line": lambda: _command_line(generator, commands, tree),
                "HTTP": lambda: _over_http(generator, daemon),
                "MCP": lambda: _over_mcp(generator, raw),
            }
            for number in range(rounds("REQUESTS", 40)):
                door = list(doors)[number % len(doors)]
                said = doors[door]()
                tally.count(door, [said] if said else [], hung=said.startswith("hung"))
    finally:
        commands.close()
    record_property("table", tally.table())
    assert not tally.complaints, "\n".join(tally.complaints)
