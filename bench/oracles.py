"""Uses that a language server tells, beside those of Cairn.

    python -m bench.oracles ROOT --language python -- SERVER --stdio

Definitions are chosen by the hashes of their places, so many of each kind. The server is brought by whoever runs
this, with what the project depends on as far as it can be had: what it tells is the truth, what it leaves out it may
not have found. A place that it tells and that Cairn counts as elsewhere, proven to be something else, is a lie.
"""

import argparse
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from bench.indexed import indexed
from cairn.api import Workspace, open_workspace
from cairn.base.errors import CairnError
from cairn.graph.occurrences import uses_in
from cairn.graph.resolve import LIKELY, NAME, PROVEN
from cairn.graph.world import World
from cairn.store import SnapshotView
from cairn.workspace.pathkey import quoted

_KINDS = {
    "function": ("function", "macro"),
    "class": ("class", "struct", "interface", "trait", "enum", "type"),
    "constant": ("constant", "variable"),
    "method": ("method", "constructor"),
    "field": ("field", "property"),
}
_MOST_USES = 2_000
DISPATCH = "dispatch"
"""Calls that reach a method through what it overrides: servers tell them of the overridden one alone."""
_TIERS = (PROVEN, LIKELY, DISPATCH, NAME)
ELSEWHERE = "elsewhere"
"""Places of the name that the answer leaves out: they are said to be something else."""
ABSENT = "absent"
"""Places that are no uses of the name to Cairn: in texts, in comments, under another name."""
_AGAIN = (-32801, -32802)
"""Errors of a server that has not read everything yet."""


class Place(NamedTuple):
    """Where a name stands."""

    path: str
    line: int
    """From 1."""
    column: int
    """Bytes from the start of the line."""


@dataclass(slots=True)
class Tally:
    """Counts of one kind of definitions."""

    asked: int = 0
    wanted: int = 0
    told: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    """Of the server's uses, how they are told, ELSEWHERE and ABSENT among them."""


class LanguageServer:
    """A server of the language server protocol, asked one question after the other."""

    def __init__(self, command: Sequence[str], root: Path, options: Mapping[str, Any]) -> None:
        self._root = root
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self._received: queue.Queue[Mapping[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._receive_all, daemon=True).start()
        self._last = 0
        self._texts: dict[str, list[str]] = {}
        self._open: set[str] = set()
        uri = root.as_uri()
        answer = self._ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": root.name}],
                "initializationOptions": options,
                "capabilities": {
                    "window": {"workDoneProgress": True},
                    "general": {"positionEncodings": ["utf-8", "utf-16"]},
                    "textDocument": {"references": {}, "rename": {}},
                    "workspace": {"configuration": True, "workspaceFolders": True},
                },
            },
        )
        self._encoding = answer["capabilities"].get("positionEncoding", "utf-16")
        self._tell("initialized", {})

    def settle(self, language: str, path: str, seconds: float) -> None:
        """Wait until nothing was heard for so long after a file was opened: many tell what they do while they read."""
        self._show(language, path)
        try:
            while True:
                self._answered(self._receive(seconds))
        except queue.Empty:
            return

    def _show(self, language: str, path: str) -> None:
        if path not in self._open:
            self._open.add(path)
            text = "\n".join(self._lines(path))
            document = {"uri": self._uri(path), "languageId": language, "version": 1, "text": text}
            self._tell("textDocument/didOpen", {"textDocument": document})

    def references(self, language: str, place: Place, name: str) -> frozenset[Place]:
        """The uses of what is named at a place, its definition left out."""
        self._show(language, place.path)
        found = self._ask(
            "textDocument/references",
            {
                "textDocument": {"uri": self._uri(place.path)},
                "position": {"line": place.line - 1, "character": self._sent(place)},
                "context": {"includeDeclaration": False},
            },
        )
        return frozenset(each for item in found or () if (each := self._place(item, name)) is not None)

    def rename(self, language: str, place: Place, new: str) -> list[tuple[str, int, int, str]]:
        """What the server changes to rename what is named at a place: files, bytes from and to, and texts."""
        self._show(language, place.path)
        found = self._ask(
            "textDocument/rename",
            {
                "textDocument": {"uri": self._uri(place.path)},
                "position": {"line": place.line - 1, "character": self._sent(place)},
                "newName": new,
            },
        )
        if not found:
            raise CairnError("The server renames nothing.")
        changes = [(uri, edits) for uri, edits in (found.get("changes") or {}).items()]
        changes += [(each["textDocument"]["uri"], each["edits"]) for each in found.get("documentChanges") or ()]
        return [self._edit(uri, edit) for uri, edits in changes for edit in edits]

    def _edit(self, uri: str, edit: Mapping[str, Any]) -> tuple[str, int, int, str]:
        path = os.path.relpath(unquote(urlsplit(uri).path), self._root)
        lines = [line.encode() for line in self._lines(path)]
        ends = [
            sum(len(line) + 1 for line in lines[: at["line"]]) + self._bytes(lines[at["line"]], at["character"])
            for at in (edit["range"]["start"], edit["range"]["end"])
        ]
        return path, ends[0], ends[1], edit["newText"]

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.communicate()

    def _place(self, item: Mapping[str, Any], name: str) -> Place | None:
        path = os.path.relpath(unquote(urlsplit(item["uri"]).path), self._root)
        start, end = item["range"]["start"], item["range"]["end"]
        if path.startswith("..") or start["line"] >= len(self._lines(path)):
            return None
        line = self._lines(path)[start["line"]].encode()
        first = self._bytes(line, start["character"])
        last = self._bytes(line, end["character"]) if end["line"] == start["line"] else len(line)
        # Some tell all of `Outer.Inner` or `new Type(...)`, where the name alone is asked for.
        at = re.search(rb"(?<!\w)%s(?!\w)(?!\s*\.)" % re.escape(name.encode()), line[first:last])
        return Place(path, start["line"] + 1, first + (at.start() if at is not None else 0))

    def _bytes(self, line: bytes, character: int) -> int:
        if self._encoding == "utf-8":
            return character
        return len(line.decode().encode("utf-16-le")[: 2 * character].decode("utf-16-le").encode())

    def _sent(self, place: Place) -> int:
        if self._encoding == "utf-8":
            return place.column
        before = self._lines(place.path)[place.line - 1].encode()[: place.column].decode()
        return len(before.encode("utf-16-le")) // 2

    def _lines(self, path: str) -> list[str]:
        if path not in self._texts:
            self._texts[path] = (self._root / path).read_text("utf-8", "replace").split("\n")
        return self._texts[path]

    def _uri(self, path: str) -> str:
        return "file://" + quote(str(self._root / path))

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            message = self._receive()
            if self._answered(message) or message.get("id") != self._last:
                continue
            error = message.get("error")
            if error and error.get("code") in _AGAIN:
                return self._ask(method, params)
            if error:
                raise CairnError(f"The server can't answer {method}: {error.get('message')}.")
            return message.get("result")

    def _answered(self, message: Mapping[str, Any]) -> bool:
        """Answer what a server asks of an editor: settings, of which there are none, and leave, which it has."""
        if "method" in message and "id" in message:
            items = (message.get("params") or {}).get("items") or ()
            wants_settings = message["method"] == "workspace/configuration"
            self._send({"id": message["id"], "result": [None for _ in items] if wants_settings else None})
        return "method" in message

    def _tell(self, method: str, params: Mapping[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self, seconds: float | None = None) -> Mapping[str, Any]:
        message = self._received.get(timeout=seconds)
        if message is None:
            raise CairnError(f"The server {quoted(str(self._process.args))} has ended.")
        return message

    def _receive_all(self) -> None:
        assert self._process.stdout is not None
        while True:
            size = 0
            while (line := self._process.stdout.readline()).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    size = int(value)
            if not line:
                self._received.put(None)
                return
            self._received.put(json.loads(self._process.stdout.read(size)))


def main() -> None:
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="python -m bench.oracles", description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--language", required=True, help="as Cairn and the server name it")
    parser.add_argument("--count", type=int, default=100, help="definitions of each kind")
    parser.add_argument("--options", type=json.loads, default={}, help="what the server is told at its start, as JSON")
    parser.add_argument("--quiet", type=float, default=0.1, help="seconds of silence by which it has read everything")
    parser.add_argument("--show", action="store_true", help="list what is missing and what is wrong")
    options = parser.parse_args(arguments[:at])
    command = arguments[at + 1 :]
    if not command:
        parser.error("give the server's command behind --")
    root = options.root.resolve()
    with (
        tempfile.TemporaryDirectory() as work,
        indexed(Path(work), root) as view,
        open_workspace(str(root)) as workspace,
        closing(LanguageServer(command, root, options.options)) as server,
    ):
        chosen = _chosen(view, options.language, options.count)
        server.settle(options.language, min(chosen.files), options.quiet)
        found = _compared(World(view), workspace, server, options.language, chosen, show=options.show)
    print(*_table(found), sep="\n")


def _compared(
    world: World, workspace: Workspace, server: LanguageServer, language: str, chosen: "Chosen", *, show: bool
) -> dict[str, Tally]:
    found = {kind: Tally() for kind in _KINDS}
    for kind, places in chosen.places.items():
        tally = found[kind]
        for place, name in places:
            truth = frozenset(each for each in server.references(language, place, name) if each.path in chosen.files)
            answer, others = _told(workspace, place)
            told = {each: tier for each, tier in answer.items() if each.path in chosen.files}
            # Names that are given and definitions of the same are left out as well, and no more is said of them.
            left_out = _left_out(world, name if others else "", truth - told.keys())
            tally.asked += 1
            tally.wanted += len(truth)
            tally.told.update(told.values())
            tally.right.update(tier for each, tier in {**told, **left_out}.items() if each in truth)
            for line in _differences(place, truth, {**told, **left_out}) if show else ():
                print(f"{kind} {line}", flush=True)
    return found


def _left_out(world: World, name: str, places: Collection[Place]) -> dict[Place, str]:
    """Why an answer has no word of places: they bear the name and are said to be something else, or they don't."""
    used = world.used(name)
    found: dict[Place, str] = {}
    for place in places:
        here = uses_in(world.view.occurrences.rows(used[place.path])) if place.path in used else ()
        named = any((use.line, use.column) == (place.line, place.column) for use in here)
        found[place] = ELSEWHERE if named else ABSENT
    return found


@dataclass(frozen=True, slots=True)
class Chosen:
    """The files of a language, and definitions in them, by kind."""

    files: frozenset[str]
    places: Mapping[str, Sequence[tuple[Place, str]]]


def _chosen(view: SnapshotView, language: str, count: int) -> Chosen:
    """The same definitions for the same tree."""
    languages = World(view).languages
    found: dict[str, list[tuple[Place, str]]] = {kind: [] for kind in _KINDS}
    texts: dict[str, list[bytes]] = {}
    for path, symbol in view.facts.all_symbols():
        kind = next((kind for kind, kinds in _KINDS.items() if symbol.kind in kinds), None)
        if kind is None or languages.get(path) != language:
            continue
        if path not in texts:
            texts[path] = (view.rows.whole_text_of(path) or b"").split(b"\n")
        at = re.search(rb"(?<!\w)%s(?!\w)" % re.escape(symbol.name.encode()), texts[path][symbol.name_line - 1])
        if at is not None:
            found[kind].append((Place(path, symbol.name_line, at.start()), symbol.name))
    for places in found.values():
        places.sort(key=lambda each: hashlib.sha256(repr(tuple(each[0])).encode()).digest())
        del places[count:]
    return Chosen(frozenset(path for path, each in languages.items() if each == language), found)


def _told(workspace: Workspace, place: Place) -> tuple[dict[Place, str], int]:
    """The uses of what is named at a place with their tiers, and how many places of the name are something else."""
    try:
        uses = workspace.references(f"{place.path}:{place.line}:{place.column + 1}", _MOST_USES).value
    except CairnError:
        return {}, 0
    tiers = ((item, DISPATCH if item.dispatch else item.tier) for item in uses.items)
    return {Place(item.path, item.line, item.column): tier for item, tier in tiers}, uses.elsewhere


def _differences(place: Place, truth: frozenset[Place], told: Mapping[Place, str]) -> Iterator[str]:
    where = f"{place.path}:{place.line}:{place.column + 1}"
    for each in sorted(truth):
        if told[each] in (NAME, ELSEWHERE, ABSENT):
            yield f"{where}: {told[each]}: {each.path}:{each.line}:{each.column + 1}"
    for each, tier in sorted(told.items()):
        if each not in truth and tier != NAME:
            yield f"{where}: {tier}, not told by the server: {each.path}:{each.line}:{each.column + 1}"


def _table(found: Mapping[str, Tally]) -> Iterator[str]:
    columns = " | ".join(f"{tier}, right" for tier in _TIERS)
    yield f"| kind | definitions | uses | proven or likely | listed | elsewhere | absent | {columns} |"
    yield "| --- " * (7 + len(_TIERS)) + "|"
    for kind, tally in found.items():
        if tally.asked:
            right, told = tally.right, tally.told
            sure = _share(right[PROVEN] + right[LIKELY] + right[DISPATCH], tally.wanted)
            shares = " | ".join(f"{right[tier]} of {told[tier]}" for tier in _TIERS)
            listed = _share(sum(right[tier] for tier in _TIERS), tally.wanted)
            left = f"{right[ELSEWHERE]} | {right[ABSENT]}"
            yield f"| {kind} | {tally.asked} | {tally.wanted} | {sure} | {listed} | {left} | {shares} |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


if __name__ == "__main__":
    main()
