"""A client that speaks the protocol by hand to a real `cairn lsp`, so that what is sent is what is tested."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from tests.surfaces.http.running import environment_of_test

PATIENCE_S = 60.0
Message = dict[str, Any]


class LanguageClient:
    """One server process, and what it has said."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            (sys.executable, "-m", "cairn", "lsp", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment_of_test() | dict(environment or {}),
        )
        self.notifications: list[Message] = []
        self.requests: list[Message] = []
        """What the server has asked of the client; each is answered by `replies`, else with null."""
        self.replies: dict[str, Any] = {}
        self.unanswered: set[str] = set()
        """What it asks that the user lets lie."""
        self.capabilities: Message = {}
        self.garbage = b""
        """What it wrote beside messages."""
        self._answers: defaultdict[int | str | None, queue.Queue[Message]] = defaultdict(queue.Queue)
        self._heard = threading.Condition()
        self._last = 0
        self._guard = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def initialize(
        self,
        folders: Sequence[Path],
        options: Mapping[str, Any] | None = None,
        encodings: Sequence[str] | None = None,
        capabilities: Mapping[str, Any] | None = None,
    ) -> Message:
        """Shake hands; the capabilities of the server."""
        trees = {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
        can = {"textDocument": trees} if capabilities is None else capabilities
        general = {"general": {"positionEncodings": list(encodings)}} if encodings is not None else {}
        found: Message = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folders[0].as_uri() if folders else None,
                "workspaceFolders": [{"uri": each.as_uri(), "name": each.name} for each in folders],
                "capabilities": {**general, **can},
                "initializationOptions": dict(options or {}),
            },
        )
        self.capabilities = found["capabilities"]
        self.notify("initialized", {})
        return self.capabilities

    def open(self, path: Path, text: str | None = None, language: str = "python") -> str:
        """Show a document; its URI."""
        said = path.read_text() if text is None else text
        document = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": said}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return path.as_uri()

    def at(self, method: str, path: Path, line: int, character: int, **more: Any) -> Any:
        """Ask about a place; both are counted from 0."""
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
        return self.request(method, {**place, **more})

    def request(self, method: str, params: Any = None) -> Any:
        """The result of a request; AssertionError for an error."""
        answer = self.wait(self.begin(method, params))
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def begin(self, method: str, params: Any = None) -> int:
        """Send a request; its number."""
        with self._guard:
            self._last += 1
            number = self._last
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def wait(self, number: int | str | None, patience_s: float = PATIENCE_S) -> Message:
        """The whole answer to a request."""
        try:
            return self._answers_to(number).get(timeout=patience_s)
        except queue.Empty:
            raise TimeoutError(f"no answer to {number}; exit code {self.process.poll()}") from None

    def notify(self, method: str, params: Any = None) -> None:
        """Say something that has no answer."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def heard(self, method: str, count: int = 1, patience_s: float = PATIENCE_S) -> list[Message]:
        """The parameters of what the server has said or asked under a name, once it has so often."""

        def found() -> list[Message]:
            return [each["params"] for each in (*self.notifications, *self.requests) if each["method"] == method]

        with self._heard:
            assert self._heard.wait_for(lambda: len(found()) >= count, patience_s), method
            return found()

    def send(self, message: Message) -> None:
        """Send any message."""
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def write(self, data: bytes) -> None:
        """Send any bytes."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # one that has ended takes nothing
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def close(self) -> None:
        """Say goodbye; the process ends."""
        if self.process.poll() is None:
            try:
                self.request("shutdown")
                self.notify("exit")
                self.process.wait(PATIENCE_S)
            except (OSError, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            try:
                while (line := stream.readline().strip()) or not length:
                    if not line:
                        return
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.partition(b":")[2])
                    elif not line.lower().startswith(b"content-type:"):
                        self.garbage += line
                message = json.loads(stream.read(length))
            except (ValueError, OSError):
                return
            self._take(message)

    def _answers_to(self, number: int | str | None) -> "queue.Queue[Message]":
        """Where whoever waits and whoever reads meet, whichever comes first: `defaultdict` may make one for each."""
        with self._guard:
            return self._answers[number]

    def _take(self, message: Message) -> None:
        if "method" not in message:
            self._answers_to(message.get("id")).put(message)
            return
        with self._heard:
            (self.requests if "id" in message else self.notifications).append(message)
            self._heard.notify_all()
        if "id" in message and message["method"] not in self.unanswered:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": self.replies.get(message["method"])})
