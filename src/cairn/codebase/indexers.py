"""Which languages' indexers are here, and how one gets those that are not."""

import os
from collections.abc import Iterable

from cairn.base.environment import search_path
from cairn.base.values import dataclass
from cairn.codebase.contracts import RefreshableCodebase
from cairn.config.user import cairn_home
from cairn.lifecycle.registry import Registry
from cairn.semantic.contexts.discover import discover
from cairn.semantic.contexts.families import family_of
from cairn.semantic.contexts.survey import ViewTree
from cairn.semantic.indexers import indexer_for
from cairn.semantic.settings import load_settings
from cairn.semantic.tools import find_tool


@dataclass(frozen=True, slots=True)
class LanguageIndexer:
    """The indexer of some languages."""

    name: str
    languages: tuple[str, ...]
    install: str
    """The command that installs it, or where it lies."""
    program: str | None
    """Where it is; None if it is not here."""

    @property
    def how(self) -> str:
        """What one does about it, in words."""
        return f"get it from {self.install}" if self.install.startswith("https:") else f"run `{self.install}`"


def indexers_of(root: str, languages: Iterable[str]) -> tuple[LanguageIndexer, ...]:
    """The indexers that are known for some languages of a codebase, in the order of the languages."""
    settings, environ = load_settings(cairn_home(), os.environ), without_codebases()
    spoken: dict[str, list[str]] = {}
    found = {}
    for language in languages:
        family = family_of(language)
        indexer = indexer_for(family.name) if family is not None else None
        if indexer is not None:
            found[indexer.name] = indexer
            spoken.setdefault(indexer.name, []).append(language)
    return tuple(
        LanguageIndexer(name, tuple(spoken[name]), each.install, find_tool(each, root, settings, environ))
        for name, each in found.items()
    )


def indexers_at_hand(codebase: RefreshableCodebase) -> tuple[LanguageIndexer, ...]:
    """The indexers for which a codebase has files: those of languages that have a project in it."""
    with codebase.view() as view:
        spoken = dict.fromkeys(language for _, language in view.rows.languages())
        contexts = discover(ViewTree(view, codebase.now().is_there)).contexts
    families = {each.family for each in contexts}
    known = {language: family_of(language) for language in spoken}
    own = [language for language, family in known.items() if family is not None and family.name in families]
    return indexers_of(codebase.root_path, sorted(own))


def without_codebases() -> dict[str, str]:
    """The environment, with no folder of any codebase that is known on PATH: one must not serve another its tools."""
    known = Registry(cairn_home()).roots()
    return os.environ | {"PATH": os.pathsep.join(search_path(known, os.environ))}
