"""Names that imports give to a definition, wherever it is passed on."""

import re
from collections.abc import Callable, Iterator

from cairn.graph.customs import customs_of
from cairn.graph.meaning import Meaning
from cairn.graph.symbols import Definition, files_with
from cairn.graph.world import World
from cairn.syntax.imported import unpacked

_DEFAULT = "default"
_COMMONJS = re.compile(r"\bmodule\.exports\s*=|^\s*export\s*=", re.MULTILINE)


_Top = Callable[[str, str], Meaning]
"""What a name means at the top of a file."""


def other_names(world: World, top: _Top, item: Definition) -> tuple[str, ...]:
    """Every other name under which some file of the snapshot has a definition, in order of finding."""
    known, key = world.other_names, (item.path, item.symbol.qualified_name)
    if key not in known:
        known[key] = _find_names(world, top, item)
    return known[key]


def _find_names(world: World, top: _Top, item: Definition) -> tuple[str, ...]:
    own = item.symbol.name
    offered = item.symbol.exported and not item.symbol.container
    script = offered and customs_of(world.languages.get(item.path, "")).default_export
    waiting = [own]
    found: dict[str, None] = {}
    if script:
        waiting.append(_DEFAULT)
        found |= dict.fromkeys(local for local in _names_of_whole(world, top, item) if local != own)
    while waiting:
        name = waiting.pop()
        given = [(path, local, local) for path, local in world.aliases.get(name, ())]
        if script and name != _DEFAULT:
            given += [(path, local, name) for path, local in _offered_as(world, name)]
        for path, local, here in given:
            if local in found or local in (own, _DEFAULT) or "." in local:
                continue
            if is_among(item, top(path, here).targets):
                found[local] = None
                waiting.append(local)
    return tuple(found)


def _names_of_whole(world: World, top: _Top, item: Definition) -> Iterator[str]:
    """Names that `require` gives to what is all that a file offers."""
    if _COMMONJS.search(world.text(item.path) or "") is None:
        return
    if not is_among(item, top(item.path, _DEFAULT).targets):
        return
    for path, source, names in world.view.facts.module_imports(world.spoken(lambda customs: customs.default_export)):
        if item.path in world.modules.resolve(world.languages[path], path, source).paths:
            yield from (binding.local for binding in unpacked(names) if not binding.name)


def _offered_as(world: World, name: str) -> Iterator[tuple[str, str]]:
    """(file, other name) where files of JavaScript export a name of theirs under another."""
    for located in files_with(world.view, name):
        path = located.file.path_key
        yield from ((path, offered) for offered, own in world.exports(path).items() if own == name)


def is_among(item: Definition, targets: tuple[Definition, ...]) -> bool:
    """Whether a definition is one of some others."""
    return any(same(item, each) for each in targets)


def same(one: Definition, other: Definition) -> bool:
    """Overloads of one name in one place are one thing."""
    return (one.path, one.symbol.qualified_name) == (other.path, other.symbol.qualified_name)
