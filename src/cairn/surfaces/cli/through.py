"""Ask the daemon, if one listens: with the standard library alone, before anything else is loaded.

The daemon runs the very command with this process's folder, streams and terminal in mind, and sends
what it would print. What it leaves to us, and everything when no daemon listens, runs right here.
"""

import os
import sys

from cairn import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from typing import BinaryIO

COMMANDS = frozenset("search symbol refs callers callees outline map imports impact slice contexts status".split())
OFFLINE = "--offline"
SOCKET = os.path.join("daemon", "cairn.sock")
TOLD = ("NO_COLOR", "TERM")
"""Variables that change how an answer looks."""
SAME = ("HOME", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
"""Variables that change what an answer says, beside all that begin with CAIRN_: they must be the daemon's own."""
_NOT_OURS = ("--shared-store", "--help", "-h")
PATH = "/v1/command"
_PATH_BYTES = 100
_PATIENCE_S = 20.0
_MOST_BYTES = 65_536
_OK = 200
_BUSY = (429, 503)
_EXIT_BUSY = 10


def home() -> str:
    """As `cairn.workspace.cairn_home`, which would load too much."""
    return os.path.realpath(os.environ.get("CAIRN_HOME") or os.path.expanduser("~/.cairn"))


def ask(arguments: list[str]) -> int | None:
    """The exit code of a command that the daemon ran; None where it is to be run here."""
    if not arguments or arguments[0] not in COMMANDS or _is_for_here(arguments):
        return None
    path = os.path.join(home(), SOCKET)
    if not os.path.exists(path):
        return None
    try:
        folder = os.getcwd()
    except OSError:
        return None
    import json

    request = {
        "version": __version__,
        "arguments": arguments,
        "folder": folder,
        "settings": settings(os.environ),
        "variables": {name: os.environ[name] for name in TOLD if name in os.environ},
        "columns": _columns(),
        "out": _stream(sys.stdout),
        "err": _stream(sys.stderr),
    }
    try:
        body = json.dumps(request).encode()
    except (UnicodeError, ValueError):
        return None
    return _exchange(path, body, "--json" in _own(arguments))


def settings(environ: "Mapping[str, str]") -> dict[str, str]:
    """What an answer depends on besides the question."""
    return {
        name: value
        for name, value in environ.items()
        if (name.startswith("CAIRN_") and name != "CAIRN_HOME") or name in SAME
    }


def _own(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _is_for_here(arguments: list[str]) -> bool:
    return any(word == OFFLINE or word.partition("=")[0] in _NOT_OURS for word in _own(arguments))


def _stream(stream: "object") -> "dict[str, object] | None":
    if stream is None:
        return None
    encoding, isatty = getattr(stream, "encoding", None), getattr(stream, "isatty", bool)
    return {"encoding": encoding or "utf-8", "terminal": bool(isatty())}


def _columns() -> int | None:
    """The width of the terminal, as `shutil.get_terminal_size` finds it."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ is not None else None
    except (OSError, ValueError, AttributeError):
        return None


def connected(path: str) -> "socket.socket":
    """A connection to the daemon; OSError when nobody listens."""
    import socket

    folder = -1
    if len(os.fsencode(path)) > _PATH_BYTES:
        # A socket's name must be short; a folder that is open has a short one.
        folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        path = f"/proc/self/fd/{folder}/{os.path.basename(path)}"
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        line.connect(path)
    except BaseException:
        line.close()
        raise
    finally:
        if folder >= 0:
            os.close(folder)
    return line


def _exchange(path: str, request: bytes, as_json: bool) -> int | None:
    """Send a request, asking again while the daemon is busy and there is patience left."""
    import time

    given_up = time.monotonic() + _PATIENCE_S
    while True:
        try:
            with connected(path) as line:
                status, body = _sent(line, request)
                if status == _OK:
                    return _shown(body)
                refusal = body.read(_MOST_BYTES)
        except OSError:
            return None
        pause = _pause_of(refusal) if status in _BUSY else None
        if pause is None:
            return None
        if time.monotonic() + pause > given_up:
            return _refused(refusal, as_json)
        time.sleep(pause)


def _sent(line: "socket.socket", request: bytes) -> "tuple[int, BinaryIO]":
    # By HTTP/1.0 the answer ends with the connection, and needs no further decoding.
    head = f"POST {PATH} HTTP/1.0\r\nHost: cairn\r\nContent-Type: application/json\r\n"
    line.sendall(f"{head}Cairn-Client: {os.getpid()}\r\nContent-Length: {len(request)}\r\n\r\n".encode() + request)
    body = line.makefile("rb")
    words = body.readline(_MOST_BYTES).split()
    while body.readline(_MOST_BYTES) not in (b"\r\n", b""):
        pass
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0, body


def _shown(body: "BinaryIO") -> int | None:
    """Print what the command printed; None where the daemon leaves it to us, or ended before it was done."""
    import json

    said: list[tuple[str, str]] = []
    for frame in body:
        try:
            kind, value = json.loads(frame)
        except ValueError:
            return None
        if kind == "exit":
            return _printed(said) or int(value)
        if kind == "progress" and sys.stderr is not None:
            sys.stderr.write(value)
            sys.stderr.flush()
        elif kind in ("out", "err"):
            said.append((kind, value))
        else:
            return None
    return None


def _printed(said: list[tuple[str, str]]) -> int:
    """Write it all; an exit code other than 0 when that fails."""
    target = None
    try:
        for kind, text in said:
            target = sys.stderr if kind == "err" else sys.stdout
            if target is not None:
                target.write(text)
                target.flush()
    except OSError as failure:
        from cairn.surfaces.cli.report import report
        from cairn.surfaces.cli.text import silence, unwritten

        if target is not None:
            silence(target)
        return 0 if isinstance(failure, BrokenPipeError) else report(unwritten(failure), as_json=False)
    return 0


def _pause_of(refusal: bytes) -> float | None:
    import json

    try:
        return max(0.02, min(1.0, int(json.loads(refusal)["error"]["retry_after_ms"]) / 1000))
    except (ValueError, KeyError, TypeError):
        return None


def _refused(refusal: bytes, as_json: bool) -> int:
    import json

    from cairn.surfaces.cli.text import json_text, printable, say

    document = json.loads(refusal)
    if as_json:
        say(json_text(document))
    else:
        say(f"cairn: {printable(document['error']['message'])}\n  {printable(document['error']['hint'])}", error=True)
    return _EXIT_BUSY
