"""What an editor's user has settled: which features are offered, and for which languages.

The keys are those of the initialization options and of the configuration section `cairn`:

- `features`: "default", "all", or a list of names from FEATURES. By default search, workspace symbols, call hierarchy
  and impact are offered everywhere, and all others for languages that have no server of their own.
- `languages`: further languages for which everything is offered, by the names that `cairn map` shows; or "all".
- `index`: what to do about a folder that is not indexed: "ask" (the default), "always" or "never".
- `sync`: whether the index follows what is saved and changed (true by default); a daemon that watches does so too.
"""

from collections.abc import Mapping
from typing import Any

from cairn.base.values import dataclass

FEATURES = (
    "search",
    "workspaceSymbol",
    "callHierarchy",
    "impact",
    "documentSymbol",
    "definition",
    "declaration",
    "implementation",
    "references",
    "typeHierarchy",
    "hover",
    "rename",
    "documentLink",
)
_EVERYWHERE = frozenset(("search", "workspaceSymbol", "callHierarchy", "impact"))
"""What a language's own server either has not, or has without the rest of the tree."""
OWN_SERVERS = frozenset(
    "c clojure cpp csharp css dart elixir elm erlang fsharp gleam go haskell html java javascript json julia kotlin "
    "lua nim nix objective-c ocaml php powershell python r ruby rust scala solidity svelte swift tsx typescript vue "
    "yaml zig".split()
)
"""Languages with a server of their own that most of their people run: beside one, Cairn only adds."""
_ALL = "all"
_INDEX = ("ask", "always", "never")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is offered, and for what."""

    features: frozenset[str] | None = None
    """None: those of the default."""
    languages: frozenset[str] | None = frozenset()
    """For which everything is offered, beside those without a server; None: for all."""
    index: str = "ask"
    sync: bool = True

    def offers(self, feature: str, language: str | None = None) -> bool:
        """Whether a feature is offered for files of a language; without one: for any file at all."""
        if self.features is not None:
            return feature in self.features
        if feature in _EVERYWHERE or self.languages is None or language is None:
            return True
        return language in self.languages or language not in OWN_SERVERS

    def changed(self, given: object) -> tuple["Settings", list[str]]:
        """These settings with what an editor gives, and what of it makes no sense, in words."""
        if not isinstance(given, Mapping):
            return self, []
        own: dict[str, Any] = {name: getattr(self, name) for name in ("features", "languages", "index", "sync")}
        faults: list[str] = []
        for name, read in (("features", _features), ("languages", _languages), ("index", _index), ("sync", _sync)):
            if given.get(name) is None:
                continue
            try:
                own[name] = read(given[name])
            except ValueError as error:
                faults.append(f"The setting cairn.{name} {error}.")
        return Settings(**own), faults


def _features(given: object) -> frozenset[str] | None:
    if given == "default":
        return None
    if given == _ALL:
        return frozenset(FEATURES)
    found = _names(given)
    if unknown := sorted(found - frozenset(FEATURES)):
        raise ValueError(f"names no feature with {', '.join(unknown)}; there are: {', '.join(FEATURES)}")
    return found


def _languages(given: object) -> frozenset[str] | None:
    return None if given == _ALL else _names(given)


def _index(given: object) -> str:
    if given not in _INDEX:
        raise ValueError(f"is none of {', '.join(_INDEX)}")
    return str(given)


def _sync(given: object) -> bool:
    if not isinstance(given, bool):
        raise ValueError("is neither true nor false")
    return given


def _names(given: object) -> frozenset[str]:
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        raise ValueError("is no list of names")
    return frozenset(given)
