"""Small trees, indexed for real, and what their names mean."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cairn.codebase.codebase import Codebase
from cairn.graph.references import References, find_uses
from cairn.graph.resolve import Meaning, Resolver
from cairn.graph.symbols import Definition, find_definitions
from cairn.graph.world import World
from tests.trees import Repo, write

Files = Mapping[str, str]


@contextmanager
def resolver_of(root: Path, files: Files) -> Iterator[Resolver]:
    """A resolver over the snapshot of some files."""
    for path, text in files.items():
        write(root, path, text)
    with Codebase(str(root)) as codebase:
        codebase.index()
        with codebase.view() as view:
            yield Resolver(World(view))


def one(resolver: Resolver, name: str, path: str | None = None) -> Definition:
    """The only definition of a (qualified) name, in a file where one is named."""
    found = [item for item in find_definitions(resolver.world.view, name) if path in (None, item.path)]
    exact = [item for item in found if item.symbol.qualified_name == name] or found
    assert len(exact) == 1, (name, path, [(item.path, item.symbol.qualified_name) for item in exact])
    return exact[0]


def calls(resolver: Resolver, path: str) -> dict[str, str]:
    """What each call of a file means: `line:receiver.name` -> `tier path:qualified name`."""
    found = {}
    for use in resolver.world.calls_in(path):
        meaning = resolver.meaning(path, use.name, use.receiver, use.within)
        asked = f"{use.receiver}.{use.name}" if use.receiver else use.name
        found[f"{use.line}:{asked}"] = told(meaning)
    return found


def calls_at(resolver: Resolver, path: str) -> dict[str, str]:
    """As `calls`, but each at its very place."""
    return {
        f"{use.line}:{use.receiver}.{use.name}" if use.receiver else f"{use.line}:{use.name}": told(
            resolver.meaning_at(path, use, use.receiver)
        )
        for use in resolver.world.calls_in(path)
    }


def told(meaning: Meaning) -> str:
    if meaning.outside:
        return "outside"
    targets = " ".join(sorted({f"{item.path}:{item.symbol.qualified_name}" for item in meaning.targets}))
    return f"{meaning.tier} {targets or ' '.join(meaning.modules)}".strip() or "unknown"


def uses(resolver: Resolver, name: str, path: str | None = None) -> References:
    found = [item for item in find_definitions(resolver.world.view, name) if path in (None, item.path)]
    return find_uses(resolver, found)


def places(found: References) -> list[str]:
    """`path:line:column tier role` of every use."""
    return [f"{item.path}:{item.line}:{item.column} {item.tier} {item.role}" for item in found.items]


__all__ = ["Files", "Repo", "calls", "calls_at", "one", "places", "resolver_of", "told", "uses"]
