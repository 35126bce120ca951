"""What may know a thing by its name and isn't in the tree: bases of its type, decorators, tests' fixtures, tools that
write files of the tree."""

import builtins
import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from cairn.edit.gate.asvalue import handed_on
from cairn.edit.gate.bykeyword import MAKING
from cairn.edit.gate.case import Case
from cairn.edit.gate.thing import MEMBER, PARAMETER, is_row, unknown_bases
from cairn.edit.source.values import Construct
from cairn.graph.customs import FIELDS
from cairn.graph.makers import types_made
from cairn.graph.meaning import NAME, Meaning
from cairn.graph.members import types_in
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.standins import METACLASS, decorators_of
from cairn.graph.symbols import Definition, key_of
from cairn.syntax.filekind import VENDORED, kinds_of

MADE = "made_elsewhere"
_GIVEN = re.compile(r"\*\*\s*[\w{(]")
_BY_TOOL = re.compile(rb"^\W*(?:.*\bDO NOT (?:EDIT|MODIFY)\b|@generated\b)", re.MULTILINE)
_HEAD = 1000
"""In how many bytes of its beginning a file says that it is written by a tool."""
_INNER = re.compile(r"\"[^\"]*\"|'[^']*'|\([^()]*\)|\[[^\[\]]*\]")
_VALUE = re.compile(r"=\s*(?:[^=].*?)?\b([A-Za-z_][\w.]*)\s*\(")
_MAKES = ("__new__", "__init__", "__prepare__", "__call__")
_SET_NAME = "__set_name__"
_FIRST = re.compile(r"\((?:(?:self|cls)\s*,\s*)?(\w+)")
"""The first parameter in the head of a function, but for its object."""


def outside_of(case: Case) -> Iterator[Construct]:
    """Who may know the thing by its old name, or its type by the new one, and isn't in the tree."""
    thing, resolver = case.thing, case.resolver
    decorated = thing.owners if thing.reach == PARAMETER else thing.definitions
    for item in (*decorated, *(thing.owners if thing.reach == MEMBER else ())):
        yield from _decorators(case, item)
        yield from _metaclass(case, item)
    if thing.reach == PARAMETER:
        yield from _named_by_others(case)
    if thing.reach == MEMBER:
        yield from _named_values(case)
        yield from _passed(case) if is_row(resolver, thing) else ()
        for owner, written in unknown_bases(resolver, thing):
            names = (each for each in (thing.name, case.new) if not lacks(case, owner.path, written, each))
            for name in list(names)[:1]:
                why = f"derives from {written}, which is not in the tree and may have a member {name}"
                yield case.head(owner, "unknown_base", why, about=f"{written} {name}")
        yield from _of_any_base(case)
        yield from _of_protocols(case)


def written_by_others(case: Case, paths: Iterable[str]) -> Iterator[Construct]:
    """Files to change that a tool, or another project, writes: the next time it does, they have the old name again."""
    own = {kind for item in case.thing.definitions for kind in kinds_of(item.path, case.thing.family)}
    for path in sorted(paths):
        source = case.sources.of(path)
        said = _BY_TOOL.search(source.data[:_HEAD])
        if said is not None:
            line = source.data.count(b"\n", 0, said.start()) + 1
            yield case.construct(path, line, MADE, "is written by a tool", about=path)
        elif VENDORED in kinds_of(path, source.language) - own:
            yield case.construct(path, 1, MADE, "is a copy of another project's code", about=path)


def _of_protocols(case: Case) -> Iterator[Construct]:
    """Python: variables of protocols; whatever has one of the name may be of the protocol without naming it."""
    thing, members = case.thing, case.resolver.members
    every = {key_of(each): each for each in (*thing.definitions, *members.kin(thing.family, thing.name))}
    for item in every.values() if thing.family == "python" else ():
        owners = members.owners(item) if item.symbol.kind in FIELDS else ()
        if any(map(members.promises.is_promise, owners)) and _stands_elsewhere(case):
            why = f"stands in a protocol, and what has {thing.name} may be of that without saying so"
            yield case.head(item, "unknown_base", why)


def _stands_elsewhere(case: Case) -> bool:
    """Whether other members have the name."""
    world, thing = case.resolver.world, case.thing
    return any(
        (path, use.line, use.column) not in thing.uses and (use.receiver or use.role == "definition")
        for path in world.used(thing.name)
        if world.languages.get(path) == "python"
        for use in world.uses(path, thing.name)
    )


def _of_any_base(case: Case) -> Iterator[Construct]:
    """Members of these names in classes whose base is a parameter: they may be derived from the thing's type."""
    resolver, first = case.resolver, case.thing.definitions[0]
    language = resolver.world.languages.get(first.path, "")
    for item in (each for name in (case.thing.name, case.new) for each in resolver.members.kin(language, name)):
        if base := resolver.evaluator.derived.given_base(item) if key_of(item) not in case.own else "":
            yield case.head(item, "unknown_base", f"stands in a class that derives from {base}, which may be any")


def _meant(resolver: Resolver, item: Definition, said: str) -> Meaning:
    """What a chain that stands beside a definition means."""
    receiver, _, last = said.rpartition(".")
    return resolver.meaning(item.path, last, receiver, item.symbol.container)


def _about(case: Case, said: str, meant: Sequence[Definition]) -> str:
    """What an answer about something that is named holds for: the name, and what it means in the tree."""
    return "\0".join((said, *(f"{each.path} {case.text_of(each)}" for each in meant)))


def _metaclass(case: Case, item: Definition) -> Iterator[Construct]:
    """What makes a class may read its name and all of its body."""
    resolver = case.resolver
    for each, _ in resolver.members.line(item) if item.symbol.kind in TYPES else ():
        said = METACLASS.search(each.symbol.signature) if each is not None else None
        if each is None or said is None:
            continue
        meant = types_in(_meant(resolver, each, said[1]).targets)
        makes = any(resolver.member(one, word).targets for one in meant for word in _MAKES)
        if makes or (not meant and not lacks(case, each.path, said[1], "")):
            why = f"is made by {said[1]}, which may read the names of its members"
            yield case.head(each, "decorated", why, each.symbol.signature, f"meta {_about(case, said[1], meant)}")


def _named_values(case: Case) -> Iterator[Construct]:
    """Values in the body of a class that are told the name of their member."""
    thing, resolver, named = case.thing, case.resolver, case.table.named_values
    for item in thing.definitions if thing.kind in FIELDS and named else ():
        line = resolver.world.lines(item.path)[item.symbol.name_line - 1]
        said = _VALUE.search(line) if f".{thing.name}" not in line else None
        if said is None:
            continue
        last, meant = said[1].rpartition(".")[2], _meant(resolver, item, said[1]).targets
        types = types_in(meant)
        if last in named or any(resolver.member(each, _SET_NAME).targets for each in types):
            why = f"{last} is told the name of the member"
        elif types or meant or lacks(case, item.path, said[1], _SET_NAME):
            continue
        else:
            why = f"{last}, which is not in the tree, may be told the name of the member"
        yield case.head(item, "told_its_name", why, line.strip(), _about(case, last, types))


def _passed(case: Case) -> Iterator[Construct]:
    """Calls with names that are not written there: `call(**names)`."""
    called = case.thing.owners
    for use in find_uses(case.resolver, called).items if called else ():
        if use.role != "call" or (use.tier == NAME and use.name in MAKING):
            continue  # What a class calls above itself is one of its own bases'.
        text = case.sources.of(use.path).text
        at = text.offset(use.line, use.column) + len(use.name.encode())
        if _GIVEN.search(_arguments(text.data[at : at + 300])):
            why = f"{use.name}: calls it with names that are not written there"
            yield case.construct(use.path, use.line, "names_passed", why)


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


def _decorators(case: Case, item: Definition) -> Iterator[Construct]:
    """Decorators that may register what they decorate by its name, or fill its parameters by theirs."""
    parameters = case.thing.reach == PARAMETER
    joined = {f"{owner.symbol.name}.register" for owner in case.thing.owners}
    for number, written in decorators_of(case.resolver.world, item):
        said, shown = written[1], written.string.strip()
        if said.rpartition(".")[2] in case.table.plain_decorators or said in joined:
            continue
        meant = _meant(case.resolver, item, said)
        if meant.targets and not meant.open and not any(_reads(case, each) for each in meant.targets):
            continue
        what = f"parameters of {item.symbol.name}" if parameters else item.symbol.name
        why = f"is decorated with {said}, which may use the name of {what}"
        about = f"{'parameters' if parameters else 'names'} {_about(case, said, meant.targets)}"
        yield case.construct(item.path, number, "decorated", why, shown, about)


def _reads(case: Case, item: Definition) -> bool:
    """Whether the body of a decorator has a word that reads names."""
    body = case.text_of(item)
    return any(word in body for word in case.table.open_decorators)


def _named_by_others(case: Case) -> Iterator[Construct]:
    """Callers of a parameter's function that may name it without writing the name: runners, `**names`, callbacks."""
    thing, resolver = case.thing, case.resolver
    for owner in thing.owners:
        symbol = owner.symbol
        if any(fnmatchcase(symbol.name, pattern) for pattern in case.table.fills_parameters):
            why = "is called by a runner that fills parameters by their names"
            yield case.head(owner, "filled", why, symbol.signature, symbol.name)
    yield from _passed(case)
    if not case.is_worded:
        return  # Whoever calls it calls it in order, or with keywords, which are all accounted for.
    types = [made.type for made in types_made(resolver.world, thing.owners, resolver.evaluator.derived).values()]
    for use in handed_on(resolver, case.sources, [*thing.owners, *(types if thing.family == "python" else ())]):
        yield case.construct(use.path, use.line, "handed_on", f"{use.name}: hands it on to whoever calls it")
    for owner in thing.owners:
        for number, said in decorators_of(resolver.world, owner):
            for each in _meant(resolver, owner, said[1]).targets:
                for word in _taken(resolver, each, inner="(" in said.string):
                    if _is_kept(resolver, each, word):
                        why = f"{owner.symbol.name}: hands it on to whoever calls it"
                        yield case.construct(owner.path, number, "handed_on", why)


def _taken(resolver: Resolver, item: Definition, *, inner: bool) -> list[str]:
    """What a decorator calls the function that it gets; with `inner` it is one that a call of the function makes."""
    own = item.symbol
    inside = [each for each in resolver.world.scope(item.path).symbols if each.container == own.qualified_name]
    heads = [each.signature for each in inside] if inner else [own.signature]
    return [said[1] for head in heads if (said := _FIRST.search(head))]


def _is_kept(resolver: Resolver, item: Definition, word: str) -> bool:
    """Whether a decorator of the tree doesn't only wrap what it decorates, but keeps it or hands it on."""
    own, lines = item.symbol, resolver.world.lines(item.path)
    reads = (use for use in resolver.world.uses(item.path, word) if use.role == "read" and not use.keyword)
    inside = (lines[use.line - 1] for use in reads if own.name_line <= use.line <= own.end_line)
    return any(not re.search(rf"\breturn {word}\s*$|wraps\({word}\)|update_wrapper\(", line) for line in inside)


def lacks(case: Case, path: str, written: str, name: str) -> bool:
    """Whether what a file calls so is a class of the language's own that is known to have no member of a name."""
    libraries = case.table.libraries
    if case.table.runtime:
        members = case.table.runtime.get(_of_runtime(case, path, written))
        return members is not None and name not in members
    head, _, rest = written.partition(".")
    module, wanted = "builtins", written
    for edge, binding in case.resolver.world.scope(path).bound.get(head, ()) if libraries else ():
        module, wanted = (edge.target, rest or head) if not binding.name else (edge.target, binding.name)
        module = module.removesuffix(f".{wanted}")
    if module not in libraries:
        return False
    home = builtins if module == "builtins" else importlib.import_module(module)
    found = getattr(home, wanted.partition("[")[0], None)
    special = getattr(found, "__module__", "") == "typing" and not isinstance(found, type)
    # Every class may define its makers in its own way, whatever its bases have.
    return special or (isinstance(found, type) and (name in MAKING or not hasattr(found, name)))


def _of_runtime(case: Case, path: str, written: str) -> str:
    """What a base is called where it comes from, `Error` or `events.EventEmitter`; empty where that isn't known."""
    head, _, rest = written.partition("<")[0].partition(".")
    world = case.resolver.world
    bound = world.scope(path).bound.get(head, ())
    if not bound:
        # A parameter of that name may be any class.
        given = any(use.role in ("definition", "write") for use in world.uses(path, head))
        return "" if rest or given or world.namesakes(head) else head
    (edge, binding), *others = bound
    return "" if others else ".".join(filter(None, (edge.target.removeprefix("node:"), binding.name, rest)))
