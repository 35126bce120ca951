"""A client of language servers: it opens files of a tree and asks about places in them."""

import json
import os
import queue
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from cairn.base.errors import CairnError
from cairn.workspace.pathkey import quoted

_AGAIN = (-32801, -32802)
"""Errors of a server that has not read everything yet."""


class Place(NamedTuple):
    """Where a name stands."""

    path: str
    line: int
    """From 1."""
    column: int
    """Bytes from the start of the line."""


class LanguageServer:
    """A server of the language server protocol, asked one question after the other."""

    def __init__(
        self,
        command: Sequence[str],
        root: Path,
        options: Mapping[str, Any],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env=environment
        )
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
                    "textDocument": {"definition": {}, "references": {}, "rename": {}},
                    "workspace": {"configuration": True, "workspaceFolders": True},
                },
            },
        )
        self._encoding = answer["capabilities"].get("positionEncoding", "utf-16")
        self._tell("initialized", {})

    def settle(self, language: str, path: str, seconds: float) -> None:
        """Wait until nothing was heard for so long after a file was opened: many tell what they do while they read."""
        self.show(language, path)
        try:
            while True:
                self._answered(self._receive(seconds))
        except queue.Empty:
            return

    def show(self, language: str, path: str) -> None:
        """Open a file, once."""
        if path not in self._open:
            self._open.add(path)
            text = "\n".join(self._lines(path))
            document = {"uri": self._uri(path), "languageId": language, "version": 1, "text": text}
            self._tell("textDocument/didOpen", {"textDocument": document})

    @property
    def pid(self) -> int:
        return self._process.pid

    def symbols(self, query: str) -> list[str]:
        """The names that the server finds in the whole tree."""
        return [each["name"] for each in self._ask("workspace/symbol", {"query": query}) or ()]

    def definition(self, place: Place) -> frozenset[tuple[str, int]]:
        """Paths and lines where what is named at a place of an open file is defined."""
        found = self._ask(
            "textDocument/definition",
            {
                "textDocument": {"uri": self._uri(place.path)},
                "position": {"line": place.line - 1, "character": self._sent(place)},
            },
        )
        places = found if isinstance(found, list) else [found] if found else []
        return frozenset(
            (
                os.path.relpath(unquote(urlsplit(each.get("uri") or each["targetUri"]).path), self._root),
                (each.get("range") or each["targetSelectionRange"])["start"]["line"] + 1,
            )
            for each in places
        )

    def references(self, language: str, place: Place, name: str) -> frozenset[Place]:
        """The uses of what is named at a place, its definition left out."""
        self.show(language, place.path)
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
        self.show(language, place.path)
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
