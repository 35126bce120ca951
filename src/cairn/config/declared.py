"""Every setting once: what it is for, what kind of value it takes, which variable goes before it, and who may set it.

Which keys the files have is said in `names` and `project`; a test holds this table against both.
"""

from collections.abc import Mapping
from typing import Any, Literal

from cairn.base.errors import UsageError
from cairn.base.steps import Advice, NextStep
from cairn.base.text import perhaps_meant
from cairn.base.values import dataclass
from cairn.config.names import PROJECT_FILE, USER_SECTIONS, ConfigFile
from cairn.config.project import PROJECT_SECTIONS

Kind = Literal["text", "number", "flag", "list"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of a settings file."""

    section: str
    name: str
    kind: Kind
    help: str
    variable: str = ""
    """The variable of the environment that goes before the files; empty if there is none."""

    @property
    def key(self) -> str:
        """Its name with its section."""
        return f"{self.section}.{self.name}"

    @property
    def in_user_file(self) -> bool:
        """Whether the user's file may have it."""
        return self.name in USER_SECTIONS.get(self.section, ())

    @property
    def in_project_file(self) -> bool:
        """Whether a codebase's file may have it."""
        return self.name in PROJECT_SECTIONS.get(self.section, ())

    def is_in(self, file: ConfigFile) -> bool:
        """Whether a file may have it."""
        return self.in_project_file if file is PROJECT_FILE else self.in_user_file

    def read(self, words: list[str]) -> Any:
        """The value that was typed; what is allowed is checked with the whole file."""
        if self.kind == "list":
            values = [value for word in words for value in _listed(word)]
            return values if words != [""] else []
        if len(words) != 1:
            raise UsageError(f"{self.key} takes one value.", hint=f"Put it in quotes: {' '.join(words)!r}.")
        (word,) = words
        if self.kind == "text":
            return word
        value = _toml(word)
        return word if value is None else value


def _listed(word: str) -> list[Any]:
    """One word of a list, or a list as TOML writes it."""
    value = _toml(word) if word.startswith("[") else None
    return value if isinstance(value, list) else [word]


def _toml(word: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(f"value = {word}\n")["value"]
    except (ValueError, RecursionError, KeyError):
        return None


_ALL = (
    Setting("query", "limit", "number", "how many results"),
    Setting("query", "mode", "text", "what kind of result is meant"),
    Setting("query", "signals_off", "list", "ranking signals that don't count"),
    Setting("index", "engine", "text", "where vectors live", "CAIRN_ENGINE"),
    Setting("index", "max_file_bytes", "number", "larger files are left out"),
    Setting("index", "max_chunks_per_file", "number", "files that need more chunks are left out"),
    Setting("index", "max_sync_bytes", "number", "how much one transaction takes in"),
    Setting("index", "chunk_bytes", "number", "how long a full chunk is"),
    Setting("index", "include", "list", "files that count though their suffix says that they are no text"),
    Setting("index", "exclude", "list", "files and folders that are left out"),
    Setting("index", "untracked", "flag", "whether files count that git doesn't track"),
    Setting("index", "submodules", "flag", "whether submodules and nested repositories count"),
    Setting("index", "case_collisions", "text", "what happens when two names differ only in case"),
    Setting("embed", "provider", "text", "the embedder", "CAIRN_EMBED_PROVIDER"),
    Setting("embed", "model", "text", "the model at an endpoint, or a path of one's own", "CAIRN_EMBED_MODEL"),
    Setting("embed", "url", "text", "the address of an OpenAI-compatible endpoint", "CAIRN_EMBED_URL"),
    Setting("embed", "dimension", "number", "the length of the endpoint's vectors", "CAIRN_EMBED_DIMENSION"),
    Setting("embed", "key_env", "text", "the variable that holds the endpoint's key"),
    Setting("semantic", "trusted_roots", "list", "roots whose builds indexers may run", "CAIRN_TRUSTED_ROOTS"),
    Setting("semantic", "tool_folders", "list", "where indexers are looked for first", "CAIRN_TOOL_FOLDERS"),
    Setting("semantic", "workers", "number", "refresh jobs of a store that run at once", "CAIRN_SEMANTIC_WORKERS"),
    Setting("semantic", "time_limit_s", "number", "how long an indexer may run", "CAIRN_SEMANTIC_TIME_LIMIT_S"),
    Setting("milvus", "uri", "text", "the address of a Milvus server", "CAIRN_MILVUS_URI"),
    Setting("milvus", "token_env", "text", "the variable that holds its credentials"),
    Setting("milvus", "database", "text", "the database on it"),
    Setting("milvus", "timeout_s", "number", "how long a request to it may take"),
    Setting("milvus", "exact", "flag", "whether every vector is compared"),
    Setting("milvus", "index", "text", "the kind of index where not every vector is compared"),
    Setting("milvus", "chunk_days", "number", "how long shared vectors of chunks stay that nobody takes"),
    Setting("lancedb", "uri", "text", "where LanceDB tables lie, if not in the segments", "CAIRN_LANCEDB_URI"),
    Setting("lancedb", "timeout_s", "number", "how long a request to an object store may take"),
    Setting("lancedb", "exact", "flag", "whether every vector is compared"),
    Setting("lancedb", "kept_mb", "number", "how much of an address's tables is kept in each store"),
    Setting("team", "remotes", "list", "where a team's indexes are, each as NAME=ADDRESS"),
    Setting("team", "timeout_s", "number", "how long a remote may take to answer"),
    Setting("team", "key_env", "text", "the variable with the key that snapshots are signed with"),
    Setting("gain", "record", "flag", "whether it is counted what answers weigh"),
    Setting("daemon", "start", "text", "whether a search at a terminal may start the daemon: ask, auto or off"),
    Setting("daemon", "idle_minutes", "number", "how long a daemon stays that was started so, if nobody asks it"),
)
SETTINGS: Mapping[str, Setting] = {setting.key: setting for setting in _ALL}
"""All settings by their keys."""
VARIABLES: Mapping[str, str] = {
    "CAIRN_HOME": "where Cairn keeps its own data",
    "CAIRN_SHARED_STORE": "the folder of a store that several users share",
    "CAIRN_EMBED_KEY": "the endpoint's key",
    "CAIRN_KERNEL": "the reference or the native core",
    "CAIRN_TEAM_KEY": "the key that snapshots are signed with",
    "CAIRN_MILVUS_TOKEN": "the credentials of a Milvus server",
    "CAIRN_LEASE_TTL_MS": "the life of a writer lease without a heartbeat",
    "CAIRN_RETAIN_SNAPSHOTS": "how many snapshots are kept",
    "CAIRN_RETAIN_AGE_MS": "how long young snapshots are kept",
    "CAIRN_DISK_BUDGET_MB": "how much all stores may take",
    "CAIRN_COMMITS_MB": "how much what is kept of commits may take",
    "CAIRN_MEMORY_MB": "how much memory an index may take",
    "CAIRN_CRASH_AT": "for tests",
    "CAIRN_STOP_AT": "for tests",
    "CAIRN_PAGER": "shows answers that are longer than the screen",
    "CAIRN_DEBUG": "show the traceback of an internal error",
}
"""What only the environment says."""
SECRET_VARIABLES = ("CAIRN_EMBED_KEY", "CAIRN_MILVUS_TOKEN", "CAIRN_TEAM_KEY")


def setting_named(key: str) -> Setting:
    """A setting by its key, or by its name alone where that is enough; UsageError for one that there isn't."""
    if key in SETTINGS:
        return SETTINGS[key]
    named = [setting for setting in _ALL if setting.name == key]
    if len(named) == 1:
        return named[0]
    if named:
        listed = ", ".join(setting.key for setting in named)
        raise UsageError(f"{key} is the name of several settings.", hint=f"Name one of them: {listed}.")
    near = perhaps_meant(key, SETTINGS) or perhaps_meant(key, {setting.name for setting in _ALL})
    raise UsageError(f"There is no setting {key}.{near}", hint=Advice(NextStep("settings"), " to see all of them."))
