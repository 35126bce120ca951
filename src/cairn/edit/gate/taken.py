"""Places that bear the new name already: each is accounted for as if the thing were called so.

What is proven to be the thing then is refused (`newname`); what is proven to be something else stays; what is neither
is asked about: it may find the thing where it found nothing, or something else.
"""

from collections.abc import Iterable, Iterator

from cairn.base.values import replace
from cairn.edit.gate.asvalue import handed_on
from cairn.edit.gate.bykeyword import MAKING
from cairn.edit.gate.case import Case, WrittenName
from cairn.edit.gate.keys import Keys
from cairn.edit.gate.outside import outside_of
from cairn.edit.gate.reach import OTHER
from cairn.edit.gate.readers import Readers
from cairn.edit.gate.thing import MEMBER, PARAMETER, called_with
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import Construct
from cairn.edit.source.words import CODE, words_in
from cairn.graph.makers import types_made
from cairn.graph.meaning import LIKELY, NAME
from cairn.graph.symbols import Definition, key_of
from cairn.syntax.uses import Use

TAKEN = "new_name_known"


def places_taken(case: Case, asked: Iterable[Construct]) -> Iterator[Construct]:
    """What may mean the thing once it has the new name, beside what is asked about already."""
    thing, new, known = case.thing, case.new, {each.settles for each in asked}
    then = Case(case.resolver, case.sources, replace(thing, name=new), thing.name, was=thing.name)
    names = _Keywords(case)
    found = [*Readers(then).found(), *Keys(then).written()]
    found += outside_of(then) if thing.reach == PARAMETER and names.takes_any else ()
    for each in found:
        if isinstance(each, WrittenName):
            yield _taken(case, each.path, each.line)
        elif each.settles not in known:
            yield replace(each, kind=TAKEN)
    for source in case.files(new):
        for word in words_in(source, new):
            if word.kind == CODE and word.use is not None and names.may_mean(source, word.use):
                yield _taken(case, source.path, word.line)


def _taken(case: Case, path: str, line: int) -> Construct:
    return case.construct(path, line, TAKEN, f"knows the name {case.new} already")


class _Keywords:
    """Uses of the new name: as a member, and as an argument that a function which takes any name took for one."""

    def __init__(self, case: Case) -> None:
        self._case, self._thing = case, case.thing
        self._called = list(case.thing.owners) if case.thing.reach == PARAMETER else list(self._constructors())
        self.takes_any = any("**" in each.symbol.signature for each in self._called)
        if case.thing.reach == MEMBER and not self.takes_any:
            makes = (case.resolver.member(each, "__init__") for each in case.reach.below.values())
            self.takes_any = any(each.outside and not each.targets for each in makes)

    def _constructors(self) -> Iterator[Definition]:
        for item in self._case.reach.below.values() if self._thing.reach == MEMBER else ():
            for word in sorted(MAKING):
                yield from self._case.resolver.member(item, word).targets

    def may_mean(self, source: SourceFile, use: Use) -> bool:
        """Whether a use may come to mean the thing."""
        reach = self._case.reach
        if use.keyword:
            return self.takes_any and self._may_reach(source.path, use)
        is_member = self._thing.reach == MEMBER and bool(use.receiver)
        return is_member and reach.of(reach.at(source.path, use, use.receiver)) in (LIKELY, NAME)

    def _may_reach(self, path: str, use: Use) -> bool:
        """Whether an argument may be given to such a function."""
        resolver, own = self._case.resolver, set(map(key_of, self._called))
        value = called_with(resolver, self._case.reach, path, use)
        if any(key_of(each) in own for each in value.things.targets):
            return True
        if self._thing.reach == MEMBER:
            return self._case.reach.of(value) != OTHER
        known = bool(value.things or value.types) and not value.open and not value.things.open
        types = [made.type for made in types_made(resolver.world, self._called).values()]
        return not known and any(True for _ in handed_on(resolver, self._case.sources, [*self._called, *types]))
