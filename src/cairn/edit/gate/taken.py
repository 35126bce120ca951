"""Places that bear the new name already: each is accounted for as if the thing were called so.

What is proven to be the thing then is refused (`newname`); what is proven to be something else stays; what is neither
is asked about: it may find the thing where it found nothing, or something else.
"""

from collections.abc import Iterable, Iterator

from cairn.base.values import replace
from cairn.edit.gate.keys import Keys
from cairn.edit.gate.libraries import MAKING
from cairn.edit.gate.listed import WrittenName
from cairn.edit.gate.madeof import handed_on
from cairn.edit.gate.outside import outside_of
from cairn.edit.gate.reach import OTHER, MemberReach
from cairn.edit.gate.readers import Readers
from cairn.edit.gate.thing import MEMBER, PARAMETER, Thing, called_with
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.values import Construct
from cairn.edit.source.words import CODE, Word, words_in
from cairn.graph.customs import family
from cairn.graph.makers import types_made
from cairn.graph.meaning import LIKELY, NAME
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, key_of

TAKEN = "new_name_known"


def places_taken(
    resolver: Resolver, sources: SourceFiles, thing: Thing, new: str, asked: Iterable[Construct]
) -> Iterator[Construct]:
    """What may mean the thing once it has the new name, beside what is asked about already."""
    files = [each for each in sources.holding(new) if family(each.language) == family(thing.family)]
    then, known = replace(thing, name=new), {each.settles for each in asked}
    readers = Readers(resolver, sources, then, thing.name, was=thing.name)
    for each in readers.found():
        if isinstance(each, WrittenName):
            yield _taken(sources.of(each.path), each.line, new)
        elif each.settles not in known:
            yield replace(each, kind=TAKEN)
    for each in Keys(resolver, sources, then, readers).written():
        yield _taken(sources.of(each.path), each.line, new)
    names = _Keywords(resolver, sources, thing)
    for source in files:
        for word in words_in(source, new):
            if word.kind == CODE and word.use is not None and _may_mean(resolver, thing, names, source, word):
                yield _taken(source, word.line, new)
    if thing.reach == PARAMETER and names.takes_any:
        for each in outside_of(resolver, sources, then, thing.name, lambda: readers.is_worded):
            if each.settles not in known:
                yield replace(each, kind=TAKEN)


def _taken(source: SourceFile, line: int, new: str) -> Construct:
    shown = source.text.shown(line)
    why = f"knows the name {new} already"
    return Construct(source.path, line, TAKEN, shown, why, f"{TAKEN} {new} {source.path} {shown}")


def _may_mean(resolver: Resolver, thing: Thing, names: "_Keywords", source: SourceFile, word: Word) -> bool:
    use = word.use
    if use is None or use.keyword:
        return use is not None and names.may_reach(source.path, word)
    if thing.reach != MEMBER or not use.receiver:
        return False
    return names.reach.of(names.reach.at(source.path, use, use.receiver)) in (LIKELY, NAME)


class _Keywords:
    """Arguments by the new name, which a function that takes any name took for one of these."""

    def __init__(self, resolver: Resolver, sources: SourceFiles, thing: Thing) -> None:
        self._resolver = resolver
        self._thing = thing
        self._sources = sources
        self.reach = MemberReach(resolver, thing.owners if thing.reach == MEMBER else ())
        self._called = list(thing.owners) if thing.reach == PARAMETER else list(self._constructors())
        self.takes_any = any("**" in each.symbol.signature for each in self._called)
        if thing.reach == MEMBER and not self.takes_any:
            makes = (resolver.member(each, "__init__") for each in self.reach.below.values())
            self.takes_any = any(each.outside and not each.targets for each in makes)

    def _constructors(self) -> Iterator[Definition]:
        for item in self.reach.below.values() if self._thing.reach == MEMBER else ():
            for word in sorted(MAKING):
                yield from self._resolver.member(item, word).targets

    def may_reach(self, path: str, word: Word) -> bool:
        """Whether an argument may be given to such a function."""
        if not self.takes_any or word.use is None:
            return False
        value = called_with(self._resolver, self.reach, path, word.use)
        own = set(map(key_of, self._called))
        if any(key_of(each) in own for each in value.things.targets):
            return True
        if self._thing.reach == MEMBER:
            return self.reach.of(value) != OTHER
        known = bool(value.things or value.types) and not value.open and not value.things.open
        return not known and self._is_handed_on

    @property
    def _is_handed_on(self) -> bool:
        types = [made.type for made in types_made(self._resolver.world, self._called).values()]
        return any(True for _ in handed_on(self._resolver, self._sources, [*self._called, *types]))
