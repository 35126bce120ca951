"""Settings from `.cairn.toml`, the limits they can't pass, and the three fingerprints.

The file belongs to the repository, so it is untrusted: it is parsed into typed values, every key
and value is checked, and a limit can only be lowered. `[index]` decides what the index holds and
goes into `config_fingerprint`; `[query]` decides how answers look and goes into
`query_fingerprint`, so a ranking tweak never forces a reindex.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from cairn.base.errors import ConfigError
from cairn.base.values import as_dict, dataclass
from cairn.config.names import PROJECT_FILE, USER_SECTIONS, shown, unknown_key, unknown_section

CONFIG_NAME = PROJECT_FILE.name
MAX_CONFIG_BYTES = 64 * 1024
_MAX_DOTS = 500

MAX_FILE_BYTES = 10 * 1024 * 1024
MAX_CHUNKS_PER_FILE = 2000
MAX_SYNC_BYTES = 256 * 1024 * 1024
MAX_PATTERNS = 200
MAX_PATTERN_CHARS = 1000
MAX_RESULTS = 200
DEFAULT_RESULTS = 10
DEFAULT_LINES = 100
MAX_BUDGET_TOKENS = 10_000_000
ENGINES = ("flat", "lancedb", "milvus")

CaseCollisions = Literal["block", "allow"]
Mode = Literal["auto", "code", "docs", "symbol"]


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What the index holds; part of `config_fingerprint`."""

    max_file_bytes: int = MAX_FILE_BYTES
    max_chunks_per_file: int = MAX_CHUNKS_PER_FILE
    max_sync_bytes: int = MAX_SYNC_BYTES
    chunk_bytes: int = 1500
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    untracked: bool | None = None
    """Whether to index untracked files; None means yes for one's own store, no for a shared one."""
    submodules: bool = False
    case_collisions: CaseCollisions = "block"

    def includes_untracked(self, *, shared: bool) -> bool:
        """Whether files that git doesn't track are indexed, in a shared store or in one's own."""
        return not shared if self.untracked is None else self.untracked


@dataclass(frozen=True, slots=True)
class QuerySettings:
    """How answers look; part of `query_fingerprint`."""

    limit: int = DEFAULT_RESULTS
    mode: Mode = "auto"
    signals_off: tuple[str, ...] = ()
    """Ranking signals that are switched off."""


@dataclass(frozen=True, slots=True)
class Config:
    """The effective settings of one root."""

    index: IndexSettings = IndexSettings()
    query: QuerySettings = QuerySettings()
    index_part: str = ""
    """sha256 of the canonical `[index]` table as written, but for the engine; empty when there is none."""
    engine: str = ""
    """The vector engine that the repository wants; empty if it doesn't say."""


@dataclass(frozen=True, slots=True)
class Artifacts:
    """Identities of everything outside the settings that decides what a row holds."""

    model: str
    dimension: int
    engine: str
    grammars: Mapping[str, str]
    chunker_version: str
    schema_versions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Rule:
    allowed: str
    accepts: Callable[[object], bool]


def _whole(low: int, high: int) -> _Rule:
    # bool is an int in Python, but `true` is not a number in TOML.
    return _Rule(
        f"a whole number from {low} to {high}",
        lambda value: type(value) is int and low <= value <= high,
    )


def _flag() -> _Rule:
    return _Rule("true or false", lambda value: type(value) is bool)


def _choice(*names: str) -> _Rule:
    return _Rule("one of " + ", ".join(f'"{name}"' for name in names), lambda value: value in names)


def _names() -> _Rule:
    return _Rule(
        "a list of at most 50 names",
        lambda value: (
            isinstance(value, list)
            and len(value) <= 50
            and all(isinstance(item, str) and re.fullmatch(r"[a-z_]{1,40}", item) for item in value)
        ),
    )


def _patterns(*, of_files: bool = False) -> _Rule:
    def accepts(value: object) -> bool:
        return (
            isinstance(value, list)
            and len(value) <= MAX_PATTERNS
            and all(isinstance(item, str) and _is_pattern(item) for item in value)
            # A pattern for folders never matches a file, so it would have no effect here.
            and not (of_files and any(item.endswith("/") for item in value))
        )

    return _Rule(
        f"a list of at most {MAX_PATTERNS} patterns in .gitignore syntax, none starting with '!' or '#'"
        + (" or ending in '/'" if of_files else ""),
        accepts,
    )


def _is_pattern(text: str) -> bool:
    return (
        0 < len(text) <= MAX_PATTERN_CHARS
        and text[0] not in "!#"
        and text.strip() != ""
        and not any(character in text for character in "\0\r\n")
    )


_RULES: Mapping[str, Mapping[str, _Rule]] = {
    "index": {
        "max_file_bytes": _whole(1, MAX_FILE_BYTES),
        "max_chunks_per_file": _whole(1, MAX_CHUNKS_PER_FILE),
        "max_sync_bytes": _whole(1, MAX_SYNC_BYTES),
        "chunk_bytes": _whole(200, 8000),
        "include": _patterns(of_files=True),
        "exclude": _patterns(),
        "untracked": _flag(),
        "submodules": _flag(),
        "case_collisions": _choice("block", "allow"),
        "engine": _choice(*ENGINES),
    },
    "query": {
        "limit": _whole(1, MAX_RESULTS),
        "mode": _choice("auto", "code", "docs", "symbol"),
        "signals_off": _names(),
    },
}
PROJECT_SECTIONS: Mapping[str, Collection[str]] = _RULES
"""All sections of a codebase's file with their keys."""


def parse_config(data: bytes | None) -> Config:
    """Check the bytes of a `.cairn.toml`; None means that there is no such file."""
    if data is None:
        return Config()
    if len(data) > MAX_CONFIG_BYTES:
        raise ConfigError(f"{CONFIG_NAME} has {len(data)} bytes; at most {MAX_CONFIG_BYTES} are read.")
    if any(line.count(b".") > _MAX_DOTS for line in data.splitlines()):
        # The parser's time grows with the square of a dotted key's parts.
        raise ConfigError(f"{CONFIG_NAME} has a line with more than {_MAX_DOTS} dots.")
    import tomllib  # most trees have no such file

    try:
        document = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{CONFIG_NAME} is not valid UTF-8 (byte {error.start}).", hint=f"Save {CONFIG_NAME} as UTF-8."
        ) from error
    except (ValueError, RecursionError) as error:
        # ValueError: TOML's own errors, and numbers with more digits than Python converts.
        raise ConfigError(
            f"{CONFIG_NAME} is not valid TOML: {shown(str(error))}.", hint=f"Correct the syntax of {CONFIG_NAME}."
        ) from error
    for section in document:
        if section not in _RULES:
            raise unknown_section(section, PROJECT_FILE, _RULES, USER_SECTIONS)
    index = _checked("index", document.get("index", {}))
    query = _checked("query", document.get("query", {}))
    # The engine decides where vectors are, not what they are. Its part of the fingerprint is `Artifacts.engine`, so
    # that a move to another engine is told apart from settings that need a new index.
    engine = index.pop("engine", "")
    written = {key: value for key, value in document.get("index", {}).items() if key != "engine"}
    return Config(
        index=IndexSettings(**index),
        query=QuerySettings(**query),
        index_part=_digest(written) if written else "",
        engine=engine,
    )


def config_fingerprint(config: Config, artifacts: Artifacts) -> str:
    """The index fingerprint: equal values make rows that mean the same."""
    return _digest(
        {
            "settings": as_dict(config.index),
            "index_part": config.index_part,
            "model": artifacts.model,
            "dimension": artifacts.dimension,
            "engine": artifacts.engine,
            "grammars": dict(artifacts.grammars),
            "chunker_version": artifacts.chunker_version,
            "schema_versions": dict(artifacts.schema_versions),
        }
    )


def query_fingerprint(config: Config, ranking_version: str) -> str:
    """The fingerprint of what shapes an answer without touching the index."""
    return _digest({"settings": as_dict(config.query), "ranking_version": ranking_version})


def ignore_fingerprint(files: Mapping[str, bytes]) -> str:
    """sha256 over (path_key NUL bytes) of the ignore files in byte order of path_key."""
    digest = hashlib.sha256()
    for key in sorted(files, key=lambda name: name.encode()):
        digest.update(key.encode() + b"\0" + files[key])
    return digest.hexdigest()


def _checked(section: str, table: object) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ConfigError(f"{CONFIG_NAME}: {section} is {shown(table)}; it must be a section, [{section}].")
    rules = _RULES[section]
    values: dict[str, Any] = {}
    for key, value in table.items():
        rule = rules.get(key)
        if rule is None:
            raise unknown_key(section, key, PROJECT_FILE, rules, USER_SECTIONS.get(section, ()))
        if not rule.accepts(value):
            raise ConfigError(f"{CONFIG_NAME}: {section}.{key} = {shown(value)} is not allowed; give {rule.allowed}.")
        values[key] = tuple(value) if isinstance(value, list) else value
    return values


def _digest(value: object) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()
