"""Uses of names that nothing here defines: those of libraries, and those that a language has by itself."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence

from cairn.graph.occurrences import uses_in
from cairn.graph.references import MAX_FILES, Reference, References, UsesOfFile, gathered, reference
from cairn.graph.resolve import LIKELY, NAME, Resolver
from cairn.graph.scopes import FileScope
from cairn.graph.symbols import Definition
from cairn.graph.wanted import ALL, Wanted
from cairn.syntax.receivers import plain_receiver
from cairn.syntax.uses import Use

_JOINT = re.compile(r"::|[./\\#]+")
_WRITTEN = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|#|\\)[^\W\d][\w$]*)*")


class OutsideUses:
    """Uses of a name, or of `module.name`, that the snapshot doesn't define, file by file.

    `likely` where an import of something outside gives the name; otherwise no more than the name is known, unless an
    import gives another module's, or it is proven to be something that the snapshot defines.
    """

    definitions: tuple[Definition, ...] = ()

    def __init__(
        self,
        resolver: Resolver,
        target: str,
        present: Callable[[str], bool] = lambda _path: True,
        max_files: int = MAX_FILES,
        wanted: Wanted = ALL,
    ) -> None:
        self._resolver = resolver
        self._wanted = wanted
        self._parts = tuple(part for part in _JOINT.split(target) if part) if _WRITTEN.fullmatch(target) else ()
        world = resolver.world
        is_wanted = wanted.files(world, present)
        used = world.used(self._parts[-1]) if self._parts else {}
        self._used = {path: here for path, here in used.items() if is_wanted(path)}
        self._others: dict[str, set[str]] = {}
        for path, local in world.aliases.get(self._parts[-1], ()) if self._parts else ():
            if path in self._used:
                self._others.setdefault(path, set()).add(local)
        self.files: Sequence[str] = sorted(self._used)[:max_files]
        self.is_cut = len(self._used) > max_files

    def __iter__(self) -> Iterator[UsesOfFile]:
        self._resolver.world.load(self.files)
        return map(self._of, self.files)

    def _of(self, path: str) -> UsesOfFile:
        world, name = self._resolver.world, self._parts[-1]
        found: list[Reference] = []
        elsewhere = 0
        scope = world.scope(path)
        for written in (name, *sorted(self._others.get(path, ()))):
            rows = world.view.occurrences.rows(self._used[path]) if written == name else None
            for use in world.uses(path, written) if rows is None else uses_in(rows):
                if use.keyword or use.role == "definition":
                    continue
                tier = "" if use.local else _tier(self._resolver, scope, use, self._parts)
                if tier and (tier == LIKELY or written == name):
                    found += [reference(path, use, tier, None)] * self._wanted.has_role(use.role)
                elif written == name:
                    elsewhere += 1
        return UsesOfFile(path, tuple(sorted(found, key=lambda each: (each.line, each.column))), elsewhere)


def find_outside(
    resolver: Resolver,
    target: str,
    present: Callable[[str], bool] = lambda _path: True,
    max_files: int = MAX_FILES,
    max_places: int = sys.maxsize,
    wanted: Wanted = ALL,
) -> References:
    """Uses of a name that the snapshot doesn't define, in order of place."""
    return gathered(OutsideUses(resolver, target, present, max_files, wanted), max_places)


def _tier(resolver: Resolver, scope: FileScope, use: Use, wanted: tuple[str, ...]) -> str:
    """How sure it is that a use is what is wanted; empty where it is proven to be something else."""
    full_names = list(_full_names(scope, use))
    if any(full[-len(wanted) :] == wanted for full in full_names):
        return LIKELY
    if len(wanted) == 1:
        return NAME
    if full_names:
        return ""
    meant = resolver.meaning_of(scope.path, use)
    known = (meant and meant.tier != NAME) or (meant.outside and use.receiver)
    return "" if known and not meant.open else NAME


def _full_names(scope: FileScope, use: Use) -> Iterator[tuple[str, ...]]:
    """What imports say that a use is, from the module on."""
    receiver = plain_receiver(use.receiver)
    parts = (*receiver.split("."), use.name) if receiver else (use.name,)
    for length in range(len(parts), 0, -1):
        for edge, binding in scope.bound.get(".".join(parts[:length]), ()):
            yield (*_parts(edge.target), *_parts(binding.name), *parts[length:])
            if length < len(parts):
                yield parts  # a package may be called otherwise than where it comes from
    if use.role == "import":
        for edge, binding in (pair for bound in scope.bound.values() for pair in bound):
            if binding.name.rpartition(".")[2] == use.name and binding.local != use.name:
                yield (*_parts(edge.target), *_parts(binding.name))


def _parts(source: str) -> tuple[str, ...]:
    return tuple(part for part in _JOINT.split(source.partition(" as ")[0]) if part not in ("", "default"))
