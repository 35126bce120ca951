"""One request to the daemon and the frames of its answer, by the standard library alone.

Nobody waits for a daemon that is stopped or stuck: it has to accept the connection, begin to answer, and
then send a sign of life now and then. A request may be sent twice.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Frame = tuple[str, Any]
    """A kind and a value."""

SOCKET = os.path.join("daemon", "cairn.sock")
SILENCE_S = 5.0
"""How long the daemon may say nothing at all."""
BEAT_S = 1.0
"""How often it sends a sign of life while it has nothing else to send."""
BEAT = "beat"
OTHER = "the daemon runs with other settings"
SILENT = "the daemon doesn't answer"
SILENCE_WARNING = f"{SILENT}, so the index was read directly"
COMMAND_PATH = "/v1/command"
TOOL_PATH = "/v1/tool"
FRAMES = "application/x-ndjson"
NO_ANSWER = "the daemon gave no answer"
NOBODY = (FileNotFoundError, ConnectionRefusedError)
"""Errors that mean that no daemon runs; a socket may have been left behind."""
passed_over: list[str] = []
"""Why a running daemon was not used by this process, if so."""
SAME = (
    "HOME XDG_CONFIG_HOME GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM"
).split()
"""Variables that change an answer, so they must be the same in the daemon; see also `_ALSO`."""
_NO_MATTER = ("CAIRN_HOME", "CAIRN_PAGER")
"""Variables that change no answer: a client has found this very daemon, and shows its answer as it likes."""
_ALSO = ("CAIRN_", "GIT_CONFIG")
"""The prefixes of further such variables."""
_CONFIG = "config.toml"
_MOST_CONFIG_BYTES = 65_536
_PATH_BYTES = 100
_PATIENCE_S = 20.0
_LOOK_S = 0.1
_MOST_BYTES = 65_536
_OK = 200
_BUSY = (429, 503)


class ElsewhereError(Exception):
    """A command that only the process of the user can run; no error that anybody is told of."""


class SilentError(OSError):
    """The daemon runs but doesn't answer."""


class StaysBusyError(OSError):
    """The daemon stays busy; the error holds its envelope."""

    def __init__(self, envelope: "dict[str, Any]") -> None:
        super().__init__(envelope["message"])
        self.envelope = envelope


class GoneError(OSError):
    """The caller no longer wants the answer."""


def settings(environ: "Mapping[str, str]", home: str) -> dict[str, str]:
    """The part of the environment that an answer depends on."""
    text = _config(home)
    # A name that is written with escapes can't be seen from here: then all variables count.
    hidden = "\\" in text
    return {
        name: value
        for name, value in environ.items()
        if (name.startswith(_ALSO) and name not in _NO_MATTER)
        or name in SAME
        or hidden
        or f'"{name}"' in text
        or f"'{name}'" in text
    }


def _config(home: str) -> str:
    """The user's config file, which may name variables that hold keys."""
    try:
        with open(os.path.join(home, _CONFIG), "rb") as file:
            return file.read(_MOST_CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def connected(path: str) -> "_socket.socket":
    """A connection to the daemon; OSError if nobody listens, SilentError if it accepts none."""
    # `_socket` is enough; loading all of `socket` would take half as long as Python takes to start.
    import _socket
    import time

    from cairn.base.system import ShortName

    short = ShortName(path) if len(os.fsencode(path)) > _PATH_BYTES else None
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.settimeout(SILENCE_S)
    given_up = time.monotonic() + SILENCE_S
    try:
        while True:
            try:
                line.connect(path if short is None else short.path)
                return line
            except BlockingIOError:
                # The queue of connections is full.
                if time.monotonic() > given_up:
                    raise SilentError("it takes no more calls") from None
                time.sleep(_LOOK_S)
    except BaseException:
        line.close()
        raise
    finally:
        if short is not None:
            short.close()


def asked(path: str, target: str, request: bytes, wanted: "Callable[[], bool] | None" = None) -> "Iterator[Frame]":
    """The frames of an answer, none if the daemon has none to give; while it is busy the request is repeated.

    Frames may end at any point, as the daemon may. `wanted` is called now and then: GoneError once it returns False.
    """
    import time

    from cairn.daemon.frames import read

    given_up = time.monotonic() + _PATIENCE_S
    while True:
        line = connected(path)
        try:
            body = _Body(line, wanted)
            status = _sent(line, body, target, request)
            if status == _OK:
                while (text := body.line()).endswith(b"\n"):
                    kind, value = read(text)
                    if kind != BEAT:
                        yield kind, value
                return
            refusal = _refusal_of(body) if status in _BUSY else None
        finally:
            line.close()
        if refusal is None:
            return
        pause = max(0.02, min(1.0, refusal["retry_after_ms"] / 1000))
        if time.monotonic() + pause > given_up:
            raise StaysBusyError(refusal)
        time.sleep(pause)


def got(path: str, target: str, wanted: "Callable[[], bool] | None" = None, patience_s: float = SILENCE_S) -> bytes:
    """What stands at an address of the daemon, an error's envelope too; it sends no sign of life before it answers.

    GoneError once `wanted` returns False.
    """
    line = connected(path)
    try:
        body = _Body(line, wanted, patience_s)
        _sent(line, body, target)
        return body.rest()
    finally:
        line.close()


def _sent(line: "_socket.socket", body: "_Body", target: str, request: bytes | None = None) -> int:
    # By HTTP/1.0 the answer ends with the connection, and needs no further decoding.
    head = f"{'GET' if request is None else 'POST'} {target} HTTP/1.0\r\nHost: cairn\r\n"
    head += f"Cairn-Client: {os.getpid()}\r\n"
    if request is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(request)}\r\n"
    head += "\r\n"
    try:
        line.sendall(head.encode() + (request or b""))
    except TimeoutError:
        raise SilentError("it takes no request") from None
    words = body.line().split()
    while body.line() not in (b"\r\n", b""):
        pass
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


class _Body:
    """The bytes from a connection, line by line."""

    def __init__(
        self, line: "_socket.socket", wanted: "Callable[[], bool] | None", patience_s: float = SILENCE_S
    ) -> None:
        self._line = line
        self._wanted = wanted
        self._patience_s = patience_s
        self._parts: list[bytes] = []
        self._rest = b""

    def line(self) -> bytes:
        """The next line with its end; the rest once the other side has closed."""
        while b"\n" not in self._rest:
            self._parts.append(self._rest)
            self._rest = self._more()
            if not self._rest:
                break
        head, end, self._rest = self._rest.partition(b"\n")
        found = b"".join((*self._parts, head, end))
        self._parts = []
        return found

    def rest(self) -> bytes:
        """Everything until the other side closes."""
        parts = [self._rest]
        while parts[-1] or len(parts) == 1:
            parts.append(self._more())
        self._rest = b""
        return b"".join(parts)

    def _more(self) -> bytes:
        if self._wanted is None:
            return self._received(self._patience_s)
        import time

        given_up = time.monotonic() + self._patience_s
        while True:
            if not self._wanted():
                raise GoneError("whoever asked has gone")
            try:
                return self._received(_LOOK_S)
            except SilentError:
                if time.monotonic() > given_up:
                    raise

    def _received(self, patience_s: float) -> bytes:
        self._line.settimeout(patience_s)
        try:
            return self._line.recv(_MOST_BYTES)
        except TimeoutError:
            raise SilentError("it doesn't answer") from None


def _refusal_of(body: _Body) -> "dict[str, Any] | None":
    """The envelope of a busy daemon that says when to try again."""
    from cairn.daemon.frames import read

    try:
        found: dict[str, Any] = read(body.line())["error"]
        return found if isinstance(found["retry_after_ms"], int) else None
    except (ValueError, KeyError, TypeError):
        return None


def read_directly(why: str = "") -> str:
    """The message for a command that reads the store itself, with the reason why it doesn't use the daemon."""
    way = ", ".join(filter(None, ("direct", why)))
    return f"{way}: each request holds the readers' lock, and nothing is collected meanwhile"


def since(why: str = "") -> str:
    """A cause as the end of a sentence: `since ...`; empty without a cause."""
    cause = why.rstrip(".")
    return f"since {cause}" if cause else ""
