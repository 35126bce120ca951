"""What stands outside of the tree and may know a thing by its name: bases of its type, decorators, tests' fixtures."""

import builtins
import importlib
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from cairn.edit.readers import Table, table_of
from cairn.edit.sources import SourceFiles
from cairn.edit.texts import FileText
from cairn.edit.thing import MEMBER, PARAMETER, Thing, unknown_bases
from cairn.edit.values import Construct
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.standins import DECORATOR
from cairn.graph.symbols import Definition

_MAKING = frozenset({"__init__", "__new__"})
"""Every class may define these in its own way, whatever its bases have."""
_GIVEN = re.compile(r"\*\*\s*\w")


def outside_of(resolver: Resolver, sources: SourceFiles, thing: Thing, new: str) -> Iterator[Construct]:
    """Who may know the thing by its old name, or its type by the new one, and isn't in the tree."""
    table = table_of(thing.family)
    decorated = thing.owners if thing.reach == PARAMETER else thing.definitions
    for item in decorated:
        yield from _decorators(resolver, item, table, thing)
    if thing.reach == PARAMETER:
        yield from _named_by_others(resolver, sources, thing, table)
    if thing.reach == MEMBER:
        for owner, written in unknown_bases(resolver, thing):
            for name in (thing.name, new):
                if not _lacks(resolver, owner, written, name, table):
                    yield _base(sources, owner, written, name)
                    break


def _base(sources: SourceFiles, owner: Definition, written: str, name: str) -> Construct:
    line = owner.symbol.name_line
    shown = FileText(sources.of(owner.path).data).shown(line)
    why = f"derives from {written}, which is not in the tree and may have a member {name}"
    return Construct(owner.path, line, "unknown_base", shown, why, f"base {written} {name}")


def _lacks(resolver: Resolver, owner: Definition, written: str, name: str, table: Table) -> bool:
    """Whether a base is a class of the language's own that is known to have no member of a name."""
    if not table.libraries:
        return False
    head, _, rest = written.partition(".")
    module, wanted = "builtins", written
    for edge, binding in resolver.world.scope(owner.path).bound.get(head, ()):
        module, wanted = (edge.target, rest or head) if not binding.name else (edge.target, binding.name)
        module = module.removesuffix(f".{wanted}")
    if module not in table.libraries:
        return False
    home = builtins if module == "builtins" else importlib.import_module(module)
    found = getattr(home, wanted.partition("[")[0], None)
    special = getattr(found, "__module__", "") == "typing" and not isinstance(found, type)
    return special or (isinstance(found, type) and (name in _MAKING or not hasattr(found, name)))


def _decorators(resolver: Resolver, item: Definition, table: Table, thing: Thing) -> Iterator[Construct]:
    """Decorators that may register what they decorate by its name, or fill its parameters by theirs."""
    symbol = item.symbol
    lines = resolver.world.lines(item.path)
    for number in range(symbol.start_line, symbol.name_line):
        said = DECORATOR.match(lines[number - 1])
        if said is None or said[1].rpartition(".")[2] in table.plain_decorators:
            continue
        meant = resolver.meaning(item.path, said[1].rpartition(".")[2], said[1].rpartition(".")[0], symbol.container)
        if meant.targets and not meant.open and not any(_reads(resolver, each, table) for each in meant.targets):
            continue
        what = f"parameters of {symbol.name}" if thing.reach == PARAMETER else symbol.name
        why = f"is decorated with {said[1]}, which may use the name of {what}"
        kind = f"decorator {said[1]} {'parameters' if thing.reach == PARAMETER else 'names'}"
        yield Construct(item.path, number, "decorated", lines[number - 1].strip(), why, kind)


def _reads(resolver: Resolver, item: Definition, table: Table) -> bool:
    """Whether the body of a decorator has a word that reads names."""
    symbol = item.symbol
    body = "\n".join(resolver.world.lines(item.path)[symbol.start_line - 1 : symbol.end_line])
    return any(word in body for word in table.open_decorators)


def _named_by_others(resolver: Resolver, sources: SourceFiles, thing: Thing, table: Table) -> Iterator[Construct]:
    """Callers of a parameter's function that may name it without writing the name: runners, `**names`, callbacks."""
    for owner in thing.owners:
        symbol = owner.symbol
        if any(fnmatchcase(symbol.name, pattern) for pattern in table.fills_parameters):
            why = "is called by a runner that fills parameters by their names"
            yield Construct(owner.path, symbol.name_line, "filled", symbol.signature, why, f"filled {symbol.name}")
    if not thing.owners:
        return
    for use in find_uses(resolver, thing.owners).items:
        text = FileText(sources.of(use.path).data)
        at = text.offset(use.line, use.column) + len(use.name.encode())
        passed = use.role == "call" and _GIVEN.search(_arguments(text.data[at : at + 300]))
        if passed or use.role == "read":
            how = "calls it with names that are not written there" if passed else "hands it on to whoever calls it"
            shown = text.shown(use.line)
            kind = "names_passed" if passed else "handed_on"
            yield Construct(use.path, use.line, kind, shown, f"{use.name}: {how}", f"{use.path} {shown}")


def _arguments(call: bytes) -> str:
    """What stands in the parentheses right behind a name, as far as it is given."""
    depth = 0
    for at, byte in enumerate(call):
        depth += (byte in b"([{") - (byte in b")]}")
        if not depth:
            return call[1:at].decode("utf-8", "replace")
    return call[1:].decode("utf-8", "replace")
