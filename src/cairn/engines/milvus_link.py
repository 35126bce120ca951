"""The connection to a Milvus server or a Lite file: every call has a deadline, every failure becomes an error of Cairn.

pymilvus repeats a call that a server didn't accept, with growing pauses, until the deadline.
Rows are written with `upsert` under ids of ours, so repeating a call changes nothing.
"""

from __future__ import annotations

import logging
import math
import os
import stat
import threading
from collections.abc import Iterable
from functools import lru_cache
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from cairn.base.errors import (
    CairnError,
    EngineDeniedError,
    EngineMissingError,
    IncompatibleError,
    ProbeFailedError,
    StoreRefusedError,
    VectorsLostError,
)
from cairn.base.steps import Advice, NextStep
from cairn.engines.milvus_import import load_pymilvus
from cairn.engines.protocol import LITE_FOLDER
from cairn.engines.record import VectorRecord
from cairn.engines.settings import MilvusSettings

# Otherwise a process that lives through an outage waits up to two minutes after its end.
_CHANNEL = {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1000,
}
_NO_COLLECTION = 100
_NOT_LOADED = (101, 103)
_DENIED = (1400, 1401, 1402, 1407, 1800)


class _Line:
    """A connection, and how many calls are under way on it."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.calls = 0


class Link:
    """One server as one process sees it; connected with the first call."""

    def __init__(self, address: str, token: str, database: str, timeout_s: float) -> None:
        self.is_lite = not urlsplit(address).scheme
        self._address = address
        self._token = token
        self._database = database
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._line: _Line | None = None
        self._known: set[str] = set()
        self._whole: dict[tuple[str, VectorRecord], float] = {}
        """When a strong read has last found all of a segment."""
        self._indexes: dict[str, frozenset[str]] = {}

    @property
    def shown(self) -> str:
        """The server's name for messages."""
        parts = urlsplit(self._address)
        return f"the Milvus server at {parts.hostname}:{parts.port}" if parts.scheme else "Milvus Lite"

    def call(self, method: str, **arguments: Any) -> Any:
        """Call the client; ProbeFailedError, EngineDeniedError or IncompatibleError when it fails.

        VectorsLostError if the server answers that the collection is not there.
        """
        load_pymilvus()
        from grpc import RpcError
        from pymilvus import MilvusException

        collection = arguments.get("collection_name", "")
        line: _Line | None = None
        try:
            line = self._picked_up()
            try:
                return getattr(line.client, method)(timeout=self._timeout_s, **arguments)
            except MilvusException as error:
                if not collection or error.code not in _NOT_LOADED:
                    raise
            # Nobody has asked it since the server was started, or since it was let go: it is loaded by the first use.
            self.forget(collection)
            line.client.load_collection(collection_name=collection, timeout=self._timeout_s)
            return getattr(line.client, method)(timeout=self._timeout_s, **arguments)
        except (MilvusException, RpcError, OSError, ValueError, RuntimeError) as error:
            meaning = self._meaning(error, collection)
            if isinstance(meaning, ProbeFailedError):
                self._give_up(line)
            raise meaning from error
        finally:
            self._hang_up(line)

    def know(self, collection: str, fields: frozenset[str], dimension: int | None = None) -> None:
        """Look once that a collection has these fields and vectors of this dimension."""
        if collection in self._known:
            return
        said = self.call("describe_collection", collection_name=collection)["fields"]
        dimensions = {int(field["params"]["dim"]) for field in said if "dim" in field.get("params", {})}
        if {field["name"] for field in said} != fields:
            raise self._made_anew(collection, "other fields")
        if dimension is not None and dimensions != {dimension}:
            raise self._made_anew(collection, "vectors of another dimension")
        self._known.add(collection)

    def _made_anew(self, collection: str, what: str) -> VectorsLostError:
        return VectorsLostError(
            f"The collection {collection} in {self.shown} has {what}: somebody made it anew.",
            hint=Advice(NextStep("clear"), ", then ", NextStep("index"), "."),
        )

    def indexes(self, collection: str, field: str) -> frozenset[str]:
        """The kinds of the indexes over a field, as the collection was made with; a server names them as it likes."""
        if collection not in self._indexes:
            names = self.call("list_indexes", collection_name=collection, field_name=field)
            said = [self.call("describe_index", collection_name=collection, index_name=name) for name in names]
            self._indexes[collection] = frozenset(str(each["index_type"]) for each in said if each)
        return self._indexes[collection]

    def whole_for(self, parts: Iterable[tuple[str, VectorRecord]]) -> float | None:
        """Since how many seconds this process knows that all of some segments are there; None if it doesn't."""
        seen = [self._whole.get(part) for part in parts]
        times = [each for each in seen if each is not None]
        return monotonic() - min(times) if len(times) == len(seen) else None

    def note_whole(self, parts: Iterable[tuple[str, VectorRecord]]) -> None:
        """Remember that a strong read has found all of some segments."""
        now = monotonic()
        self._whole.update((part, now) for part in parts)

    def is_loaded(self, collection: str) -> bool:
        """Whether a server has a collection in its memory."""
        return self.call("get_load_state", collection_name=collection)["state"].name == "Loaded"  # type: ignore[no-any-return]

    def let_go(self, collection: str) -> None:
        """Have a server give up the memory of a collection; the next question loads it."""
        self.forget(collection)
        self.call("release_collection", collection_name=collection)

    def forget(self, collection: str) -> None:
        """Look at a collection again before its next use: it may have been dropped or made anew."""
        self._known.discard(collection)
        self._indexes.pop(collection, None)
        # A copy: other threads remember what they have seen meanwhile.
        for part in list(self._whole):
            if part[1].place == collection:
                self._whole.pop(part, None)

    def _give_up(self, line: _Line | None) -> None:
        """Reconnect with the next call: a server that comes back has nothing loaded."""
        with self._lock:
            if self._line is line:
                self._line = None
                self._known.clear()
                self._whole.clear()
                self._indexes.clear()

    def _hang_up(self, line: _Line | None) -> None:
        """Close a line that was given up once its last call has ended."""
        with self._lock:
            if line is None:
                return
            line.calls -= 1
            is_over = line is not self._line and not line.calls
        if is_over and not self.is_lite:
            line.client.close()

    def _picked_up(self) -> _Line:
        with self._lock:
            if self._line is None:
                load_pymilvus()
                from pymilvus import MilvusClient

                # pymilvus writes tracebacks to the user's terminal; we report failures ourselves.
                logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
                logging.getLogger("milvus_lite").setLevel(logging.CRITICAL)
                if self.is_lite:
                    _make_lite(self._address)
                client = MilvusClient(
                    uri=self._address,
                    token=self._token,
                    db_name=self._database,
                    timeout=self._timeout_s,
                    dedicated=True,
                    # gRPC gives up a connection that takes longer than this to be made.
                    grpc_options={**_CHANNEL, "grpc.min_reconnect_backoff_ms": math.ceil(1000 * self._timeout_s)},
                )
                self._line = _Line(client)
            self._line.calls += 1
            return self._line

    def _meaning(self, error: Exception, collection: str) -> CairnError:
        load_pymilvus()
        from grpc import RpcError, StatusCode
        from pymilvus.exceptions import ServerVersionIncompatibleException

        # A connection that was refused comes as one that failed, with the refusal behind it.
        code = getattr(error.__cause__ if isinstance(error.__cause__, RpcError) else error, "code", None)
        code = code() if callable(code) else code
        text = " ".join(str(getattr(error, "message", "") or error).split())[:300]
        low = text.lower()
        if code == _NO_COLLECTION or (collection and ("collection not found" in low or "can't find collection" in low)):
            self.forget(collection)
            return VectorsLostError(f"The collection {collection} is gone from {self.shown}: somebody dropped it.")
        denied = code in _DENIED or code in (StatusCode.UNAUTHENTICATED, StatusCode.PERMISSION_DENIED)
        if denied or "unauthenticated" in low or "auth check failure" in low:
            return EngineDeniedError(
                f"{_capital(self.shown)} refuses the credentials.",
                hint="Correct them in the environment: CAIRN_MILVUS_TOKEN, or what token_env names.",
            )
        if code == StatusCode.UNIMPLEMENTED or isinstance(error, ServerVersionIncompatibleException):
            return IncompatibleError(
                f"{_capital(self.shown)} doesn't know a call of this client: {text}.",
                hint="Use a server and a pymilvus of the same major version.",
            )
        if self.is_lite and self._line is None:
            return ProbeFailedError(
                f"Milvus Lite can't be opened: {text}.",
                hint="It serves one process at a time: wait for the other one, or set up a server.",
            )
        return ProbeFailedError(f"{_capital(self.shown)} gave no answer: {text}.")


def link_to(settings: MilvusSettings, store: str) -> Link:
    """The server that the user has named, else Lite in the store; one connection a process."""
    address = settings.uri or os.path.join(store, LITE_FOLDER)
    token = os.environ.get(settings.token_env, "").strip() if settings.uri else ""
    return _link(address, token, settings.database if settings.uri else "", settings.timeout_s)


@lru_cache(maxsize=64)
def _link(address: str, token: str, database: str, timeout_s: float) -> Link:
    return Link(address, token, database, timeout_s)


def release(store: str) -> None:
    """Stop the Lite server of a store that is about to go."""
    try:
        load_pymilvus()
        from milvus_lite.server_manager import server_manager_instance
    except ImportError:
        return
    server_manager_instance.release_server(os.path.join(store, LITE_FOLDER))
    _link.cache_clear()


def require_lite(*, is_shared: bool) -> None:
    """EngineMissingError or StoreRefusedError where Lite can't serve."""
    from importlib.util import find_spec

    if find_spec("milvus_lite") is None:
        raise EngineMissingError(
            "No Milvus server is named, and Milvus Lite is not installed.",
            hint="Set CAIRN_MILVUS_URI, or run `pip install 'cairn-index[milvus]'`.",
        )
    if is_shared:
        raise StoreRefusedError(
            "Milvus Lite serves one process of one user, so a shared store can't use it.",
            hint="Name a server in CAIRN_MILVUS_URI.",
        )


def _make_lite(path: str) -> None:
    """Make a private folder, because Lite creates its files with the modes of the umask."""
    require_lite(is_shared=bool(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) & 0o077))
    os.makedirs(path, mode=0o700, exist_ok=True)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
