"""Accounts for every place where a name stands: meant, certainly not meant, prose, or open.

A rename is proven if no place is open. The index decides about a place. If it says nothing, the scopes of the file may
still prove that something local is meant. Every other place is open, also one in a string or in a file that is no code
if a program may read it as a name.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.group import Group, is_key, is_member, makes_property
from cairn.edit.lineage import numbers_at
from cairn.edit.sourcefile import SourceFile
from cairn.edit.texts import FileText
from cairn.edit.values import AS_KEY, AS_VALUE, SEMANTIC, SYNTACTIC, Mention, OpenPlace, Spot
from cairn.edit.words import CODE, COMMENT, STRING, TEXT, Word, words_in
from cairn.semantic.contexts.families import family_of
from cairn.semantic.contexts.values import Context
from cairn.semantic.scip.symbols import parse_symbol
from cairn.semantic.scip.wire import ScipError
from cairn.store import SemanticFacts, SemanticSymbol

_LIBRARY = "python-stdlib"
_MAKERS = frozenset(
    """
    types unittest unittest.mock dataclasses functools argparse copy collections string threading ctypes enum inspect
    logging typing contextlib concurrent.futures asyncio
    """.split()
)
"""Modules with functions that turn keywords into members, or pass them on."""
_TAKE_ALL = frozenset({"dict", "type", "format", "update", "super", "object", "__init__", "__new__"})
_SET_NAMES = frozenset({b"multiple", b"update"})
"""Functions that set members by keyword: `patch.multiple(module, name=...)`."""


def called_by(keyword: Any) -> Any:
    """The last name of the function that a keyword is passed to; None if it is not in a call."""
    holder = keyword.parent if keyword is not None else None
    given = holder.parent if holder is not None and holder.type == "keyword_argument" else None
    call = given.parent if given is not None and given.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    return function.named_children[-1] if function is not None and function.type == "attribute" else function


def sets_names(called: Any) -> bool:
    """Whether a called function sets members of a module by its keywords."""
    return called is not None and called.text in _SET_NAMES


def takes_its_own(called: Collection[SemanticSymbol]) -> bool:
    """Whether a function of Python's library is called that has only its own parameters as keywords."""
    return bool(called) and all(map(_is_plain, called))


def _is_plain(symbol: SemanticSymbol) -> bool:
    try:
        parsed = parse_symbol(symbol.symbol)
    except ScipError:
        return False
    if parsed.package != _LIBRARY or not parsed.descriptors:
        return False
    return parsed.descriptors[0].name not in _MAKERS and parsed.descriptors[-1].name not in _TAKE_ALL


def stands_in(group: Group, data: bytes) -> bool:
    """Whether a file mentions the module, so that an object with a key of that name may stand in for it."""
    if group.member or group.parameter or group.home:
        return False
    return any(re.search(rb"[\"'`/]%s(?:\.\w+)?[\"'`]" % re.escape(module), data) for module in modules_of(group))


def modules_of(group: Group) -> frozenset[bytes]:
    """The names by which JavaScript imports the modules that define something."""
    found = set()
    for path, _ in group.definitions:
        folder, _, name = path.rpartition("/")
        bare = name.partition(".")[0]
        found.add((posixpath.basename(folder) if bare == "index" else bare).encode())
    return frozenset(found - {b""})


CODE_TOO, ALL_TOO = "code", "all"
UNRESOLVED, KEYWORD, AS_TEXT, NOT_CODE, BROKEN = (
    "unresolved_use",
    "keyword_argument",
    "name_as_text",
    "name_in_another_file",
    "broken_code",
)
OTHER_CONTEXT, SEVERAL = "other_context", "several_things"


@dataclass(frozen=True, slots=True)
class Account:
    """All places of the name, sorted by what they mean."""

    spots: tuple[Spot, ...]
    opened: tuple[OpenPlace, ...]
    mentions: tuple[Mention, ...]
    code_files: tuple[str, ...]
    """Files of the target's language family whose code holds the name: the account relies on their facts."""
    elsewhere: int
    """How many places certainly mean something else."""
    alike: tuple[str, ...] = ()
    """If a member is renamed: files in which other types have members of that name."""


def account(
    group: Group,
    context: Context,
    facts: SemanticFacts,
    sources: Iterable[SourceFile],
    owner: Callable[[str, str], Context | None],
) -> Account:
    """Judge every place of a group's name in some files; `owner` says which context answers for a file."""
    spots: list[Spot] = []
    opened: list[OpenPlace] = []
    mentions: list[Mention] = []
    code_files: list[str] = []
    alike: list[str] = []
    elsewhere = 0
    for source in sources:
        words = words_in(source, group.name)
        if not words:
            continue
        text = FileText(source.data)
        spoken = family_of(source.language)
        kin = spoken is not None and spoken.name == context.family
        if kin and any(word.kind == CODE for word in words):
            code_files.append(source.path)
        judge = _Judge(group, facts, source, kin, _owner_of(owner, source) if kin else None, context, text)
        found_here = list(judge.judged(words))
        if judge.alike:
            alike.append(source.path)
        for found in found_here:
            if isinstance(found, Spot):
                spots.append(found)
            elif isinstance(found, OpenPlace):
                opened.append(found)
            elif isinstance(found, Mention):
                mentions.append(found)
            else:
                elsewhere += 1
    return Account(tuple(spots), tuple(opened), tuple(mentions), tuple(code_files), elsewhere, tuple(alike))


def _owner_of(owner: Callable[[str, str], Context | None], source: SourceFile) -> Context | None:
    return owner(source.path, source.language)


class _Judge:
    """Decides for each word of one file what the rename does with it."""

    def __init__(
        self,
        group: Group,
        facts: SemanticFacts,
        source: SourceFile,
        kin: bool,
        owner: Context | None,
        context: Context,
        text: FileText,
    ) -> None:
        self._group = group
        self._facts = facts
        self._source = source
        self._kin = kin
        self._own = owner is not None and owner.id == context.id
        self._text = text
        self._at = numbers_at(facts, source.path) if self._own else {}
        self._keyed = not group.member and any(map(is_key, facts.symbols(sorted(group.numbers)).values()))
        """Whether a key is renamed too, as in `module.exports = { name }`."""
        self.alike = False
        """Whether a place of the file names a member of another type."""

    def judged(self, words: list[Word]) -> Iterator[Spot | OpenPlace | Mention | None]:
        code = [self._code(word) if word.kind == CODE and self._kin else self._prose(word) for word in words]
        changed = {(each.line, each.column) for each in code if isinstance(each, Spot)}
        bound = any(word.binds and (word.line, word.column) in changed for word in words)
        for word, found in zip(words, code, strict=True):
            again = word.again is not None and word.again in changed
            # These repeat the meaning of another place: a module's export of a name, `name` in `name as name`, and the
            # value of `{ name }`.
            value = word.shorthand and isinstance(found, OpenPlace) and found.why == UNRESOLVED and bound
            if again or value or (word.listed and self._own and changed):
                form = AS_VALUE if value else ""
                yield self._text.spot(self._source.path, word.line, word.column, self._group.name, SYNTACTIC, form)
            else:
                yield found

    def _code(self, word: Word) -> Spot | OpenPlace | None:
        group, place = self._group, (word.line, word.column)
        if not self._own:
            return None if word.use is not None and word.use.local else self._open(word, OTHER_CONTEXT, CODE_TOO)
        numbers = self._at.get(place, frozenset())
        if numbers & group.numbers:
            if not self._text.holds(*place, group.name):
                return self._open(word, UNRESOLVED, "")
            if not numbers <= group.numbers and (self._keyed or not word.shorthand):
                return self._open(word, SEVERAL, CODE_TOO)
            # If key and value are renamed together, `{ name }` stays short.
            whole = not word.shorthand or len(numbers & group.numbers) > 1
            taken = not whole and not group.member and self._is_taken(word)
            if taken and numbers <= group.numbers:
                return self._open(word, SEVERAL, CODE_TOO)  # The index gives the new binding the same symbol.
            form = "" if whole else AS_KEY if group.member or taken else AS_VALUE
            return self._text.spot(self._source.path, *place, group.name, SEMANTIC, form)
        use = word.use
        known = self._facts.symbols(sorted(numbers)).values()
        is_other = group.member and any(map(is_member, known))
        self.alike = self.alike or is_other or (group.member and bool(numbers) and self._is_property(word))
        if word.shorthand and numbers:
            # The index may know only the key, or only the value.
            if group.member:
                return None if is_other else self._open(word, KEYWORD, CODE_TOO)
            local = use is not None and use.local and not stands_in(group, self._source.data)
            return None if local else self._open(word, UNRESOLVED, CODE_TOO)
        if numbers:
            # A keyword for a method's parameter also reaches the methods that override it.
            reached = use is not None and use.keyword and bool(numbers & group.kin)
            reached = reached or (any(map(is_key, known)) and stands_in(group, self._source.data))
            return self._open(word, KEYWORD, CODE_TOO) if reached else None
        if word.broken:
            return self._open(word, BROKEN, CODE_TOO)
        if use is not None and use.keyword:
            return self._open(word, KEYWORD, CODE_TOO) if self._reaches(word) else None
        if use is not None and use.local and not group.home:
            return None
        return self._open(word, UNRESOLVED, CODE_TOO)

    def _is_taken(self, word: Word) -> bool:
        """Whether it is a key in a destructuring pattern, `const { name } = module`, which also binds the name."""
        node = self._node(word)
        place = (self._source.path, word.line, word.column)
        defined = any(place == (path, each.line, each.column) for path, each in self._group.definitions)
        return node is not None and node.type == "shorthand_property_identifier_pattern" and not defined

    def _is_property(self, word: Word) -> bool:
        """Whether it looks like a member, such as a key of an object that the index treats as local."""
        node = self._node(word)
        return makes_property(node) or (node is not None and node.type == "property_identifier")

    def _reaches(self, word: Word) -> bool:
        """Whether a keyword that the index doesn't know may mean the thing that is renamed."""
        group = self._group
        called = called_by(self._node(word))
        if not group.keyed:
            return not group.home and sets_names(called)
        place = (called.start_point[0] + 1, called.start_point[1]) if called is not None and group.member else (0, 0)
        known = self._facts.symbols(sorted(self._at.get(place, ()))).values()
        return group.home in ("", self._source.path) and not takes_its_own(known)

    def _node(self, word: Word) -> Any:
        at = self._text.offset(word.line, word.column)
        return self._source.node(at, at + word.size)

    def _prose(self, word: Word) -> OpenPlace | Mention | None:
        if word.kind == CODE:
            return None  # It belongs to another language.
        exact = word.exact and (word.kind == TEXT or self._kin)
        if exact and not (self._group.home or self._group.closed):
            return self._open(word, NOT_CODE if word.kind == TEXT else AS_TEXT, ALL_TOO)
        tier = "high" if self._is_marked(word) else "low" if word.kind == STRING else "medium"
        where = word.kind if word.kind in (COMMENT, STRING) else TEXT
        return Mention(self._source.path, word.line, word.column, tier, where, self._text.shown(word.line))

    def _is_marked(self, word: Word) -> bool:
        """Whether it stands between backticks, which mark code in prose."""
        at = self._text.offset(word.line, word.column)
        around = self._text.data[max(0, at - 1) : at + word.size + 1]
        return around.startswith(b"`") or around.endswith(b"`")

    def _open(self, word: Word, why: str, choice: str) -> OpenPlace:
        return OpenPlace(self._source.path, word.line, word.column, why, self._text.shown(word.line), choice)
