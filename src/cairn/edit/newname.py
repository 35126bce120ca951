"""Whether a thing may get a new name: what the language allows, and what is called so already."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice

from cairn.edit.handedon import taken_beside
from cairn.edit.reach import MemberReach
from cairn.edit.sourcefile import SourceFile
from cairn.edit.texts import FileText
from cairn.edit.thing import MEMBER, Thing
from cairn.edit.words import CODE, words_in
from cairn.graph.customs import family
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import key_of
from cairn.languages.registry import record_of
from cairn.syntax.grammar import load
from cairn.syntax.uses import scoped_language

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_WITH_DOLLAR = re.compile(r"[^\W\d]\w*|[\w$]*\$[\w$]*")
MAX_NAME = 200


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
    if language == "python" and new.startswith("__"):
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

    `edited` are the places that may be changed, by file; `holding_new` the files that may hold the new name.
    """
    if thing.reach == MEMBER:
        types = MemberReach(resolver, thing.owners).near
        for item in resolver.members.kin(thing.family, new):
            for owner in resolver.members.owners(item):
                if key_of(owner) in types:
                    yield f"{item.path}:{item.symbol.name_line} defines {item.symbol.qualified_name} already"
                    return
    holding = [each for each in holding_new() if family(each.language) == family(thing.family)]
    for source in holding:
        if source.path not in edited:
            continue
        apart = _apart(source, new, edited[source.path]) if thing.reach != MEMBER else frozenset()
        for word in words_in(source, new):
            asked_of = word.use is not None and bool(word.use.receiver or word.use.keyword)
            if word.kind == CODE and asked_of == (thing.reach == MEMBER) and (word.line, word.column) not in apart:
                if thing.reach == MEMBER and not (
                    word.use is not None and word.use.receiver in ("self", "this", "cls")
                ):
                    continue
                yield f"{source.path}:{word.line} uses {new} already"
                return
    yield from islice(taken_beside(resolver, thing, new) if holding else (), 1)


def _apart(source: SourceFile, new: str, edited: Collection[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Places of the new name that a function binds in which nothing is changed: neither name hides the other there."""
    found = source.found(new) if scoped_language(source.language) else None
    if found is None:
        return frozenset()
    text = FileText(source.data)
    changed = [text.offset(*place) for place in edited]
    own = ((one, found.meaning(one)) for one in found.occurrences)
    return frozenset(
        (one.line, one.column)
        for one, meant in own
        if meant is not None and meant[1].local and not any(meant[0].start <= each < meant[0].end for each in changed)
    )
