"""Which context owns a file, and which one answers for it."""

from collections.abc import Iterable, Mapping

from cairn.semantic.contexts.families import SKIPPED_FOLDERS, families, family_of
from cairn.semantic.contexts.values import VALID, Context, Probe, folders_of, is_within
from cairn.syntax import language_of


def claims(context: Context, path: str, language: str) -> bool:
    """Whether a path is a context's own: it contains it, doesn't exclude it, and includes its language."""
    if context.detached or not is_within(path, context.root) or path == context.root:
        return False
    if any(is_within(path, hole) for hole in context.holes) or not SKIPPED_FOLDERS.isdisjoint(path.split("/")[:-1]):
        return False
    return language in families()[context.family].languages


class Owners:
    """Contexts by root: each (path, family) has one owner or none."""

    def __init__(self, contexts: Iterable[Context]) -> None:
        self._roots = {(context.family, context.root): context for context in contexts}

    def owner_of(self, path: str, language: str | None = None) -> Context | None:
        """The context of the deepest root around a file, of the family of its language."""
        spoken = language or language_of(path)
        family = family_of(spoken)
        if family is None:
            return None
        for folder in folders_of(path):
            context = self._roots.get((family.name, folder))
            if context is not None:
                return context if claims(context, path, spoken) else None
        return None

    def members(self, paths: Iterable[str]) -> dict[str, list[str]]:
        """The files of each context, by its id and in order."""
        found: dict[str, list[str]] = {context.id: [] for context in self._roots.values()}
        for path in paths:
            owner = self.owner_of(path)
            if owner is not None:
                found[owner.id].append(path)
        return {name: sorted(own) for name, own in found.items()}


class Router:
    """Which context answers for a file: only one that was probed and is valid, and none before all are probed."""

    def __init__(self, contexts: Iterable[Context], probes: Mapping[str, Probe]) -> None:
        known = tuple(contexts)
        self._owners = Owners(known)
        self._probes = dict(probes)
        self.ready = all(context.id in self._probes for context in known)

    def route(self, path: str, language: str | None = None) -> Context | None:
        """The context that answers for a file; None if there is none, or not all are probed yet."""
        if not self.ready:
            return None
        owner = self._owners.owner_of(path, language)
        return owner if owner is not None and self._probes[owner.id].status == VALID else None
