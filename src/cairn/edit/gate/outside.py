"""What stands outside of the tree and may know a thing by its name: bases of its type, decorators, tests' fixtures."""

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

from cairn.edit.gate.libraries import MAKING, lacks
from cairn.edit.gate.madeof import handed_on
from cairn.edit.gate.table import Table, table_of
from cairn.edit.gate.thing import MEMBER, PARAMETER, Thing, is_row, unknown_bases
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.values import Construct
from cairn.graph.customs import FIELDS
from cairn.graph.makers import types_made
from cairn.graph.meaning import NAME
from cairn.graph.members import types_in
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.standins import DECORATOR
from cairn.graph.symbols import Definition, key_of

Worded = Callable[[], bool]
"""Whether the name stands as a text somewhere."""
_GIVEN = re.compile(r"\*\*\s*[\w{(]")
_INNER = re.compile(r"\"[^\"]*\"|'[^']*'|\([^()]*\)|\[[^\[\]]*\]")
_METACLASS = re.compile(r"\bmetaclass\s*=\s*([\w.]+)")
_VALUE = re.compile(r"=\s*(?:[^=].*?)?\b([A-Za-z_][\w.]*)\s*\(")
_MAKES = ("__new__", "__init__", "__prepare__", "__call__")
_SET_NAME = "__set_name__"
_FIRST = re.compile(r"\((?:(?:self|cls)\s*,\s*)?(\w+)")
"""The first parameter in the head of a function, but for its object."""


def outside_of(
    resolver: Resolver, sources: SourceFiles, thing: Thing, new: str, worded: Worded = lambda: True
) -> Iterator[Construct]:
    """Who may know the thing by its old name, or its type by the new one, and isn't in the tree."""
    table = table_of(thing.family)
    decorated = thing.owners if thing.reach == PARAMETER else thing.definitions
    for item in (*decorated, *(thing.owners if thing.reach == MEMBER else ())):
        yield from _decorators(resolver, item, table, thing)
        yield from _metaclass(resolver, item, table)
    if thing.reach == PARAMETER:
        yield from _named_by_others(resolver, sources, thing, table, worded)
    if thing.reach == MEMBER:
        yield from _named_values(resolver, thing, table)
        if is_row(resolver, thing):
            yield from _passed(resolver, sources, thing.owners)
        for owner, written in unknown_bases(resolver, thing):
            for name in (thing.name, new):
                if not lacks(resolver, owner.path, written, name, table):
                    yield _base(sources, owner, written, name)
                    break
        yield from _of_any_base(resolver, sources, thing, new)
        yield from _of_protocols(resolver, sources, thing)


def _of_protocols(resolver: Resolver, sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """Python: variables of protocols; whatever has one of the name may be of the protocol without naming it."""
    every = {key_of(each): each for each in (*thing.definitions, *resolver.members.kin(thing.family, thing.name))}
    for item in every.values() if thing.family == "python" else ():
        owners = resolver.members.owners(item) if item.symbol.kind in FIELDS else ()
        if any(map(resolver.members.promises.is_promise, owners)) and _stands_elsewhere(resolver, thing):
            shown = sources.of(item.path).text.shown(item.symbol.name_line)
            why = f"stands in a protocol, and what has {thing.name} may be of that without saying so"
            settles = f"{item.path} {item.symbol.qualified_name} protocol"
            yield Construct(item.path, item.symbol.name_line, "unknown_base", shown, why, settles)


def _stands_elsewhere(resolver: Resolver, thing: Thing) -> bool:
    """Whether other members have the name."""
    world = resolver.world
    return any(
        (path, use.line, use.column) not in thing.uses and (use.receiver or use.role == "definition")
        for path in world.used(thing.name)
        if world.languages.get(path) == "python"
        for use in world.uses(path, thing.name)
    )


def _of_any_base(resolver: Resolver, sources: SourceFiles, thing: Thing, new: str) -> Iterator[Construct]:
    """Members of these names in classes whose base is a parameter: they may be derived from the thing's type."""
    own = set(map(key_of, thing.definitions))
    language = resolver.world.languages.get(thing.definitions[0].path, "")
    for item in (each for name in (thing.name, new) for each in resolver.members.kin(language, name)):
        if base := resolver.evaluator.derived.given_base(item) if key_of(item) not in own else "":
            shown = sources.of(item.path).text.shown(item.symbol.name_line)
            why = f"stands in a class that derives from {base}, which may be any"
            settles = f"{item.path} {item.symbol.qualified_name} {base}"
            yield Construct(item.path, item.symbol.name_line, "unknown_base", shown, why, settles)


def _metaclass(resolver: Resolver, item: Definition, table: Table) -> Iterator[Construct]:
    """What makes a class may read its name and all of its body."""
    for each, _ in resolver.members.line(item) if item.symbol.kind in TYPES else ():
        said = _METACLASS.search(each.symbol.signature) if each is not None else None
        if each is None or said is None:
            continue
        receiver, _, last = said[1].rpartition(".")
        meant = types_in(resolver.meaning(each.path, last, receiver, each.symbol.container).targets)
        makes = any(resolver.member(one, word).targets for one in meant for word in _MAKES)
        if makes or (not meant and not lacks(resolver, each.path, said[1], "", table)):
            why = f"is made by {said[1]}, which may read the names of its members"
            yield Construct(
                each.path, each.symbol.name_line, "decorated", each.symbol.signature, why, f"meta {said[1]}"
            )


def _named_values(resolver: Resolver, thing: Thing, table: Table) -> Iterator[Construct]:
    """Values in the body of a class that are told the name of their member."""
    for item in thing.definitions if thing.kind in FIELDS and table.named_values else ():
        line = resolver.world.lines(item.path)[item.symbol.name_line - 1]
        said = _VALUE.search(line) if f".{thing.name}" not in line else None
        if said is None:
            continue
        receiver, _, last = said[1].rpartition(".")
        meant = resolver.meaning(item.path, last, receiver, item.symbol.container)
        types = types_in(meant.targets)
        if last in table.named_values or any(resolver.member(each, _SET_NAME).targets for each in types):
            why = f"{last} is told the name of the member"
        elif types or meant.targets or lacks(resolver, item.path, said[1], _SET_NAME, table):
            continue
        else:
            why = f"{last}, which is not in the tree, may be told the name of the member"
        yield Construct(item.path, item.symbol.name_line, "told_its_name", line.strip(), why, f"told {last}")


def _passed(resolver: Resolver, sources: SourceFiles, called: Sequence[Definition]) -> Iterator[Construct]:
    """Calls with names that are not written there: `call(**names)`."""
    for use in find_uses(resolver, called).items if called else ():
        text = sources.of(use.path).text
        at = text.offset(use.line, use.column) + len(use.name.encode())
        if use.tier == NAME and use.name in MAKING:
            continue  # What a class calls above itself is one of its own bases'.
        if use.role == "call" and _GIVEN.search(_arguments(text.data[at : at + 300])):
            shown = text.shown(use.line)
            why = f"{use.name}: calls it with names that are not written there"
            yield Construct(use.path, use.line, "names_passed", shown, why, f"{use.path} {shown}")


def _base(sources: SourceFiles, owner: Definition, written: str, name: str) -> Construct:
    line = owner.symbol.name_line
    shown = sources.of(owner.path).text.shown(line)
    why = f"derives from {written}, which is not in the tree and may have a member {name}"
    return Construct(owner.path, line, "unknown_base", shown, why, f"base {written} {name}")


def _decorators(resolver: Resolver, item: Definition, table: Table, thing: Thing) -> Iterator[Construct]:
    """Decorators that may register what they decorate by its name, or fill its parameters by theirs."""
    symbol = item.symbol
    lines = resolver.world.lines(item.path)
    joined = {f"{owner.symbol.name}.register" for owner in thing.owners}
    for number in range(symbol.start_line, symbol.name_line):
        said = DECORATOR.match(lines[number - 1])
        if said is None or said[1].rpartition(".")[2] in table.plain_decorators or said[1] in joined:
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


def _named_by_others(
    resolver: Resolver, sources: SourceFiles, thing: Thing, table: Table, worded: Worded
) -> Iterator[Construct]:
    """Callers of a parameter's function that may name it without writing the name: runners, `**names`, callbacks."""
    for owner in thing.owners:
        symbol = owner.symbol
        if any(fnmatchcase(symbol.name, pattern) for pattern in table.fills_parameters):
            why = "is called by a runner that fills parameters by their names"
            yield Construct(owner.path, symbol.name_line, "filled", symbol.signature, why, f"filled {symbol.name}")
    yield from _passed(resolver, sources, thing.owners)
    if not worded():
        return  # Whoever calls it calls it in order, or with keywords, which are all accounted for.
    types = [made.type for made in types_made(resolver.world, thing.owners, resolver.evaluator.derived).values()]
    yield from handed_on(resolver, sources, [*thing.owners, *(types if thing.family == "python" else ())])
    for owner in thing.owners:
        for line in _kept(resolver, owner):
            shown = sources.of(owner.path).text.shown(line)
            why = f"{owner.symbol.name}: hands it on to whoever calls it"
            yield Construct(owner.path, line, "handed_on", shown, why, f"{owner.path} {shown}")


def _kept(resolver: Resolver, item: Definition) -> Iterator[int]:
    """The lines of decorators in the tree that don't only wrap what they decorate, but keep it or hand it on."""
    lines, symbol = resolver.world.lines(item.path), item.symbol
    for number in range(symbol.start_line, symbol.name_line):
        said = DECORATOR.match(lines[number - 1])
        if said is None:
            continue
        receiver, _, last = said[1].rpartition(".")
        for each in resolver.meaning(item.path, last, receiver, symbol.container).targets:
            inner = "(" in lines[number - 1]
            if any(_is_kept(resolver, each, word) for word in _decorating(resolver, each, inner=inner)):
                yield number


def _decorating(resolver: Resolver, item: Definition, *, inner: bool) -> list[str]:
    """What a decorator calls the function that it gets; with `inner` it is one that a call of the function makes."""
    own = item.symbol
    inside = [each for each in resolver.world.scope(item.path).symbols if each.container == own.qualified_name]
    heads = [each.signature for each in inside] if inner else [own.signature]
    return [said[1] for head in heads if (said := _FIRST.search(head))]


def _is_kept(resolver: Resolver, item: Definition, word: str) -> bool:
    own, lines = item.symbol, resolver.world.lines(item.path)
    reads = (use for use in resolver.world.uses(item.path, word) if use.role == "read" and not use.keyword)
    inside = (lines[use.line - 1] for use in reads if own.name_line <= use.line <= own.end_line)
    return any(not re.search(rf"\breturn {word}\s*$|wraps\({word}\)|update_wrapper\(", line) for line in inside)


def _arguments(call: bytes) -> str:
    """What stands in the parentheses right behind a name, as far as it is given, without what is in inner ones."""
    depth = 0
    for at, byte in enumerate(call):
        depth += (byte in b"([{") - (byte in b")]}")
        if not depth:
            call = call[:at]
            break
    said = call[1:].decode("utf-8", "replace")
    while (less := _INNER.sub("", said)) != said:
        said = less
    return said
