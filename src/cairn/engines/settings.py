"""Which engine is wanted, and where its server is: the user's `config.toml`, then the environment.

A repository may name an engine, never an address (SEC.1). A token is never written into the file: the
file names the variable that holds it.

    [index]
    engine = "milvus"               or CAIRN_ENGINE, which goes before what a repository says

    [milvus]
    uri = "https://milvus.internal:19530"     or CAIRN_MILVUS_URI; without one, Milvus Lite in the store;
                                    without a port, 443 with https and 19530 with http
    token_env = "MILVUS_TOKEN"      the variable that holds `user:password` or a key; CAIRN_MILVUS_TOKEN by itself
    database = "code"
    timeout_s = 5
    exact = true                    false: an index, faster and no longer exact
    index = "AUTOINDEX"             its kind where it isn't exact: what the server chooses, "HNSW" or "IVF_SQ8"
    chunk_days = 90                 `cairn gc` removes shared vectors of chunks that nobody took for so long

    [lancedb]
    uri = "s3://bucket/cairn"       or CAIRN_LANCEDB_URI; without one, tables lie in the segments; a folder is absolute
    timeout_s = 10                  of every request to an object store, and of the check before a question
    exact = false                   true: never use the index of large segments
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import ConfigError
from cairn.base.values import dataclass
from cairn.config.project import ENGINES
from cairn.config.user import USER_CONFIG, cairn_home, read_user_config, section_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

DEFAULT = "flat"
ENGINE_VARIABLE = "CAIRN_ENGINE"
TOKEN_VARIABLE = "CAIRN_MILVUS_TOKEN"  # noqa: S105 - the name of a variable
_URI_VARIABLES = {"milvus": "CAIRN_MILVUS_URI", "lancedb": "CAIRN_LANCEDB_URI"}
_MAX_CHARS = 1000
_MAX_TIMEOUT_S = 600
_MOST_KEPT_MB = 1_000_000
_MOST_DAYS = 3650
_PORTS = {"http": 19530, "https": 443}
"""What pymilvus takes where an address names no port."""
_HOST = lazy.expression(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OPTIONS = lazy.expression(r"[;:=&@]")
"""Characters that separate a key from its value, or an option from an address."""
_UNSAID = ("uri", "token_env")
"""Settings whose values are never shown: a user may have put a secret there by mistake."""
MILVUS_INDEXES = ("AUTOINDEX", "HNSW", "IVF_SQ8")
OBJECT_STORES = ("s3", "gs", "az", "abfss", "oss")


@dataclass(frozen=True, slots=True)
class MilvusSettings:
    """The user's `[milvus]` section."""

    uri: str = ""
    """Empty: Milvus Lite, in the store."""
    token_env: str = TOKEN_VARIABLE
    database: str = ""
    timeout_s: float = 5.0
    exact: bool = True
    index: str = MILVUS_INDEXES[0]
    """The kind of index of a collection that is made where `exact` is false."""
    chunk_days: int = 90
    """Shared vectors of chunks that nobody took for longer may go."""

    @property
    def address(self) -> str:
        """Where the collections are; empty for Lite, which lies in the store."""
        return f"{self.uri}/{self.database}" if self.uri and self.database else self.uri


@dataclass(frozen=True, slots=True)
class LanceSettings:
    """The user's `[lancedb]` section."""

    uri: str = ""
    """Empty: in the segments themselves. A folder is an absolute path."""
    timeout_s: float = 10.0
    exact: bool = False
    kept_mb: int = 1024
    """So much of what lies at an address is kept in a store's cache."""

    @property
    def address(self) -> str:
        """Where the tables are; empty if they lie in the segments."""
        return self.uri


def chosen_engine(said: str, data: bytes | None = None, environ: Mapping[str, str] = os.environ) -> str:
    """The environment's engine, else what the repository said, else the user's, else the default.

    `data` is what the user's file holds; by default that is read.
    """
    name = environ.get(ENGINE_VARIABLE, "").strip()
    if name:
        return _engine(name, ENGINE_VARIABLE)
    if said:
        return said
    table = section_of(read_user_config(cairn_home()) if data is None else data, "index")
    return _engine(table.get("engine", DEFAULT), f"index.engine in {USER_CONFIG}")


def milvus_settings(data: bytes | None = None, environ: Mapping[str, str] = os.environ) -> MilvusSettings:
    """The settings from the user's file and the environment, which goes first; `data` as above."""
    table = _table("milvus", data, environ)
    if "uri" in table:
        table["uri"] = milvus_address(table["uri"])
    return MilvusSettings(**table)


def lance_settings(data: bytes | None = None, environ: Mapping[str, str] = os.environ) -> LanceSettings:
    """The settings from the user's file and the environment, which goes first; `data` as above."""
    table = _table("lancedb", data, environ)
    if "uri" in table:
        table["uri"] = lance_address(table["uri"])
    return LanceSettings(**table)


def address_of(engine: str) -> str:
    """Where the settings say that an engine's vectors are, without credentials; empty for within the store."""
    if engine == "milvus":
        return milvus_settings().address
    return lance_settings().address if engine == "lancedb" else ""


def milvus_address(uri: str) -> str:
    """A server's address with its port and without anything secret in it, since addresses are shown."""
    from urllib.parse import urlsplit

    if "@" in uri:
        raise ConfigError(
            "milvus.uri holds credentials.", hint=f"Put them into {TOKEN_VARIABLE} as user:password, and not into it."
        )
    try:
        parts = urlsplit(uri)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        parts, port, host = urlsplit(""), None, ""
    known = parts.scheme in _PORTS and port != 0 and (_HOST.fullmatch(host) or _is_ip6(host))
    if not known or parts.query or parts.fragment or parts.path not in ("", "/"):
        raise ConfigError(
            "milvus.uri is no address.",
            hint=f"Give one like https://milvus.internal:19530, and credentials in {TOKEN_VARIABLE}.",
        )
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port or _PORTS[parts.scheme]}"


def lance_address(uri: str) -> str:
    """A folder by its absolute path, or an object store; the same for all ways to write it.

    What is refused is not repeated: it may hold a secret wherever an address has no place for one.
    """
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(uri)
    except ValueError:
        parts = urlsplit("nonsense:")
    hint = "Give a folder by its absolute path, or an object store like s3://bucket/folder."
    if parts.scheme in OBJECT_STORES and not parts.netloc:
        raise ConfigError("lancedb.uri names no bucket.", hint=hint)
    if parts.query or parts.fragment or "@" in parts.netloc or (parts.scheme in OBJECT_STORES and not _is_plain(parts)):
        raise ConfigError(
            "lancedb.uri holds more than an address.",
            hint="Leave credentials and options out: LanceDB finds them in the environment (AWS_ACCESS_KEY_ID, ...).",
        )
    if parts.scheme in OBJECT_STORES:
        return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        allowed = ", ".join(f"{each}://" for each in (*OBJECT_STORES, "file"))
        raise ConfigError(f"lancedb.uri is no address: one begins with {allowed} or /.", hint=hint)
    path = os.path.expanduser(unquote(parts.path) if parts.scheme else uri)
    if not os.path.isabs(path):
        # A relative path would name another folder in each working directory.
        raise ConfigError("lancedb.uri is relative.", hint=hint)
    return os.path.normpath(path)


def _is_plain(parts: SplitResult) -> bool:
    """Whether an object store's address is a bucket and a folder in it, without anything like a key or an option."""
    return bool(_HOST.fullmatch(parts.netloc) and not _OPTIONS.search(parts.path))


def _is_ip6(host: str) -> bool:
    from ipaddress import IPv6Address

    try:
        IPv6Address(host)
    except ValueError:
        return False
    return True


def _engine(name: object, source: str) -> str:
    if name not in ENGINES:
        allowed = ", ".join(f'"{each}"' for each in ENGINES)
        raise ConfigError(f"{source} is {_shown(name)}; give one of {allowed}.", hint=f"Correct {source}.")
    return str(name)


def _table(section: str, data: bytes | None, environ: Mapping[str, str]) -> dict[str, Any]:
    table = section_of(read_user_config(cairn_home()) if data is None else data, section)
    if uri := environ.get(_URI_VARIABLES[section], "").strip():
        table["uri"] = uri
    for key, value in table.items():
        allowed = _allowed(key, value)
        if allowed:
            said = "refused" if key in _UNSAID else _shown(value)
            raise ConfigError(f"{section}.{key} is {said}; give {allowed}.", hint=f"Correct {section}.{key}.")
    return table


def _allowed(key: str, value: object) -> str:
    """What a setting allows; empty if the value is allowed."""
    if key == "exact":
        return "" if type(value) is bool else "true or false"
    if key == "timeout_s":
        fine = type(value) in (int, float) and 0 < value <= _MAX_TIMEOUT_S  # type: ignore[operator]
        return "" if fine else f"a number of seconds up to {_MAX_TIMEOUT_S}"
    if key == "index":
        return "" if value in MILVUS_INDEXES else f"one of {', '.join(MILVUS_INDEXES)}"
    if key == "chunk_days":
        return "" if type(value) is int and 1 <= value <= _MOST_DAYS else f"a whole number from 1 to {_MOST_DAYS}"
    if key == "kept_mb":
        return "" if type(value) is int and 0 <= value <= _MOST_KEPT_MB else f"a whole number up to {_MOST_KEPT_MB}"
    if key == "token_env":
        fine = isinstance(value, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is not None
        return "" if fine else "the name of a variable"
    fine = isinstance(value, str) and 0 < len(value) <= _MAX_CHARS and value.isprintable()
    return "" if fine else f"a text of 1 to {_MAX_CHARS} characters in one line"


def _shown(value: object) -> str:
    # JSON escapes control characters: the text may end up on a terminal.
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:77] + "..."
