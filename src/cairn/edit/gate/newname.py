"""Whether a thing may get a new name: what the language allows, and what is called so already."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice

from cairn.edit.gate.reach import MemberReach
from cairn.edit.gate.thing import MEMBER, PARAMETER, TOP, Thing
from cairn.edit.source.file import SourceFile
from cairn.edit.source.words import CODE, words_in
from cairn.graph.arguments import named_arguments
from cairn.graph.customs import customs_of, family
from cairn.graph.makers import types_made
from cairn.graph.meaning import PROVEN
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, key_of
from cairn.languages.registry import record_of
from cairn.syntax.grammar import load
from cairn.syntax.imported import EVERYTHING, unpacked
from cairn.syntax.occurrences import Occurrence
from cairn.syntax.scopes import ROOT, SPACE, Scope
from cairn.syntax.uses import scoped_language

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_WITH_DOLLAR = re.compile(r"[^\W\d]\w*|[\w$]*\$[\w$]*")
MAX_NAME = 200
_SLOTS = "__slots__"


def naming_fault(new: str, old: str, language: str) -> str:
    """Why a name is not allowed; empty if it is."""
    if new == old:
        return "it is called so already"
    if len(new) > MAX_NAME:
        return f"it has more than {MAX_NAME} characters"
    naming = record_of(language).naming
    form = _WITH_DOLLAR if naming.dollar else _IDENTIFIER
    if form.fullmatch(new) is None or new[:1].isdigit():
        return "it is no identifier"
    if new in keywords(language) or new in naming.values:
        return f"it is a keyword of {language}"
    if new in naming.reserved:
        return f"{language} gives it a meaning"
    if language == "python" and unicodedata.normalize("NFKC", new) != new:
        return f"Python reads it as {unicodedata.normalize('NFKC', new)}"
    if language == "python" and new.startswith("__") and not (_is_private(old) and _is_private(new)):
        return "Python gives names that begin with two underscores a meaning"
    if (
        language == "python"
        and new.startswith("_")
        and new.endswith("_")
        and not (old.startswith("_") and old.endswith("_"))
    ):
        return "names between underscores have a meaning to enumerations"
    if new.lower().startswith("test") and not old.lower().startswith("test"):
        return "test runners look for names that begin so"
    if naming.capital_tells and old[:1].isupper() != new[:1].isupper():
        return "the first letter tells components from elements of a page"
    return ""


def _is_private(name: str) -> bool:
    """Whether Python gives a name that of its class: both names of a private member have it, or none."""
    return name.startswith("__") and not name.endswith("__")


@cache
def keywords(language: str) -> frozenset[str]:
    """The words that a grammar writes out itself."""
    loaded = load(language)
    if loaded is None:
        return frozenset()
    spoken = loaded.parser.language
    kinds = (spoken.node_kind_for_id(number) for number in range(spoken.node_kind_count))
    words = (kind for number, kind in enumerate(kinds) if kind and not spoken.node_kind_is_named(number))
    return frozenset(word for word in words if _IDENTIFIER.fullmatch(word))


def conflicts(
    resolver: Resolver,
    thing: Thing,
    new: str,
    edited: Mapping[str, Collection[tuple[int, int]]],
    holding_new: Callable[[], Iterable[SourceFile]],
) -> Iterator[str]:
    """Reasons against the new name; none if it is free.

    It is not where a place that bears the new name would mean the thing once it is called so, or the other way round.
    `edited` are the places that may be changed, by file; `holding_new` the files that may hold the new name.
    """
    holding = [each for each in holding_new() if family(each.language) == family(thing.family)]
    customs = customs_of(thing.family)
    own = {customs.package(item.path) for item in thing.definitions}
    if record_of(thing.family).naming.capital_exports and thing.name[:1].isupper() and not new[:1].isupper():
        for path in edited:
            if customs.package(path) not in own:
                yield f"{path} is of another package, and would not see {new}"
                return
    if thing.reach == MEMBER:
        if new in customs.protocols:
            yield f"{thing.family}'s own library asks any value for {new}"
            return
        yield from islice(_members(resolver, thing, new, holding), 1)
        return
    if thing.reach == TOP and thing.family == "python":
        yield from islice(_in_modules(resolver, thing, new, holding), 1)
    given = _files_given(resolver, thing, new) if holding or new.startswith("_") else frozenset[str]()
    for source in holding:
        # `export *` of a script only hands names on.
        taking = source.path in given and family(thing.family) != "javascript"
        seen = taking or source.path in edited or (customs.sees_package and customs.package(source.path) in own)
        apart = _apart(source, new, edited.get(source.path, ()))
        for word in words_in(source, new) if seen else ():
            asked_of = word.use is not None and bool(word.use.receiver or word.use.keyword)
            if word.kind == CODE and not asked_of and (word.line, word.column) not in apart:
                yield _used(source.path, word.line, new)
                return
    if thing.reach == PARAMETER and holding:
        functions = [*thing.owners, *(made.type for made in types_made(resolver.world, thing.owners).values())]
        named = named_arguments(resolver, functions, new, lambda _path: True)
        yield from islice((f"{each.path}:{each.use.line} gives {new} by name already" for each in named), 1)
    yield from islice(_submodules(resolver, thing, new), 1)
    yield from islice(_taken_beside(resolver, thing, new, given), 1)


def _used(path: str, line: int, new: str) -> str:
    return f"{path}:{line} uses {new} already"


def _members(resolver: Resolver, thing: Thing, new: str, holding: Iterable[SourceFile]) -> Iterator[str]:
    """What has the new name among the members of the thing's types, or is read where they are named alone."""
    reach = MemberReach(resolver, thing.owners)
    for item in resolver.members.kin(thing.family, new):
        for owner in resolver.members.owners(item):
            if key_of(owner) in reach.near:
                yield f"{item.path}:{item.symbol.name_line} defines {item.symbol.qualified_name} already"
    for source in holding:
        inside = _in_bodies(source, new, [owner for owner in thing.owners if owner.path == source.path])
        for word in words_in(source, new):
            use = word.use
            if word.listed == _SLOTS or (word.line, word.column) in inside:
                yield _used(source.path, word.line, new)
            elif word.kind == CODE and use is not None and use.receiver:
                if reach.of(reach.at(source.path, use, use.receiver)) == PROVEN:
                    yield _used(source.path, word.line, new)


def _in_bodies(source: SourceFile, new: str, owners: Collection[Definition]) -> frozenset[tuple[int, int]]:
    """Places of the new name that the bodies of some types would take for their own member."""
    found = source.found(new) if owners and scoped_language(source.language) else None
    if found is None:
        return frozenset()
    text = source.text
    listed = [own.symbol for own in owners if own.symbol.kind == "enum"]

    def is_within(one: Occurrence) -> bool:
        if any(own.start_line <= one.line <= own.end_line for own in listed):
            return True
        here: Scope | None = one.scope
        while here is not None and here.kind != ROOT and new not in here.bound:
            line = text.place(here.start)[0]
            if here.kind == SPACE and any(own.symbol.start_line <= line <= own.symbol.name_line for own in owners):
                return here is one.scope or found.scopes.rules.members_seen_within
            here = here.parent
        return False

    return frozenset((one.line, one.column) for one in found.occurrences if one.bare and is_within(one))


def _in_modules(resolver: Resolver, thing: Thing, new: str, holding: Iterable[SourceFile]) -> Iterator[str]:
    """Python: uses of the new name as one of a module that has the thing."""
    own, reach, has = set(map(key_of, thing.definitions)), MemberReach(resolver, ()), dict[str, bool]()

    def offers(path: str) -> bool:
        if path not in has:
            has[path] = any(key_of(each) in own for each in resolver.top(path, thing.name).targets)
        return has[path]

    for source in holding:
        imported = {
            path
            for edge, binding in resolver.world.scope(source.path).bound.get(new, ())
            if binding.name == new
            for path in resolver.world.modules.resolve(source.language, source.path, edge.target).paths
        }
        for word in words_in(source, new):
            use = word.use
            if word.listed == "__all__":
                modules: Iterable[str] = (source.path,)
            elif use is not None and use.role == "import" and not use.receiver:
                modules = imported
            else:
                asked = use is not None and use.receiver and not use.keyword
                modules = reach.at(source.path, use, use.receiver).things.modules if use is not None and asked else ()
            if any(map(offers, modules)):
                yield _used(source.path, word.line, new)


def _submodules(resolver: Resolver, thing: Thing, new: str) -> Iterator[str]:
    """A module of a package becomes a member of it, as what its own file defines is."""
    for item in thing.definitions if thing.reach == TOP else ():
        folder, _, file = item.path.rpartition("/")
        if file.startswith("__init__."):
            for path in (f"{folder}/{new}.py", f"{folder}/{new}/__init__.py"):
                if path in resolver.world.languages:
                    yield f"{path} is a module of the package already"


def _apart(source: SourceFile, new: str, edited: Collection[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Places of the new name that a function binds in which nothing is changed: neither name hides the other there."""
    found = source.found(new) if scoped_language(source.language) else None
    if found is None:
        return frozenset()
    text = source.text
    changed = [text.offset(*place) for place in edited]
    own = ((one, found.meaning(one)) for one in found.occurrences)
    return frozenset(
        (one.line, one.column)
        for one, meant in own
        if meant is not None and meant[1].local and not any(meant[0].start <= each < meant[0].end for each in changed)
    )


def _files_given(resolver: Resolver, thing: Thing, new: str) -> frozenset[str]:
    """The files that have the thing by its new name because they take all names of a module."""
    if thing.reach != TOP:
        return frozenset()
    own = set(map(key_of, thing.definitions))
    found, waiting = set[str](), dict[str, set[str]]()
    for path in _taking_all(resolver, thing.family):
        if any(key_of(each) in own for each in resolver.top(path, thing.name).targets):
            found.add(path)
        else:
            waiting[path] = set(_taken_whole(resolver, path))
    if thing.family == "python" and thing.name.startswith("_") and not new.startswith("_"):
        # It was left out because of its underscore.
        homes = {item.path for item in thing.definitions if not _has_list(resolver, item.path)}
        while fresh := {path for path, taken in waiting.items() if path not in found and taken & homes}:
            found |= fresh
            homes |= {path for path in fresh if not _has_list(resolver, path)}
    return frozenset(found)


def _taken_beside(resolver: Resolver, thing: Thing, new: str, given: Iterable[str]) -> Iterator[str]:
    """Where the new name means something else already in a file that is given the thing with all of its module."""
    own = set(map(key_of, thing.definitions))
    for path in sorted(given):
        if _is_left_out(resolver, thing, path, new):
            yield f"{path} takes all names of its module, and so none that begins with an underscore"
        for other in resolver.top(path, new).targets:
            if key_of(other) not in own and not other.symbol.container:
                yield f"{other.path}:{other.symbol.name_line} defines {new} already, and {path} has the names of both"


def _is_left_out(resolver: Resolver, thing: Thing, path: str, new: str) -> bool:
    """Python: whether a file that takes all names of a module, and has no other way to this one, loses it."""
    bound = resolver.world.scope(path).bound
    if thing.family != "python" or not new.startswith("_") or bound.get(thing.name):
        return False
    homes = {item.path for item in thing.definitions}
    return path not in homes and not any(_has_list(resolver, home) for home in homes)


def _has_list(resolver: Resolver, path: str) -> bool:
    """Python: whether a module says itself which names are taken with all of it."""
    return any(each.name == "__all__" for each in resolver.world.scope(path).symbols)


def _taken_whole(resolver: Resolver, path: str) -> Iterator[str]:
    """The files that a file takes all names of."""
    world = resolver.world
    for edge in world.scope(path).stars:
        yield from world.modules.resolve(world.languages.get(path, ""), path, edge.target).paths


def _taking_all(resolver: Resolver, language: str) -> Iterator[str]:
    """The files of a language with `from m import *`, `export * from "./m"`."""
    world, seen = resolver.world, set()
    for path, *_, names in world.view.facts.imports():
        if EVERYTHING in names and path not in seen and family(world.languages.get(path, "")) == family(language):
            if any(each.local == EVERYTHING for each in unpacked(names)):
                seen.add(path)
                yield path
