"""Accounts for every place where a name stands: the thing, something else, prose, or open.

What the place means is what every question about code says of it. A use that is proven to be the thing is changed, one
that is proven to be something else stays, and one that is neither is open. Texts are prose: what a program makes of
them is told by the constructs that read names (`readers`), not by the texts.
"""

import re
from collections.abc import Iterable, Iterator

from cairn.base.values import dataclass
from cairn.edit.gate.alias import is_handed_on
from cairn.edit.gate.bound import bound_with, read_in_class, torn
from cairn.edit.gate.case import is_seen
from cairn.edit.gate.table import table_of
from cairn.edit.gate.thing import ALIAS, MEMBER, PARAMETER, TOP, Thing
from cairn.edit.source.examples import is_answer
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import AS_EXPORTED, AS_KEY, AS_VALUE, SEMANTIC, SYNTACTIC, Mention, OpenPlace, Spot
from cairn.edit.source.words import CODE, COMMENT, STRING, TEXT, Word, words_in
from cairn.graph.customs import family
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.languages.record import CODE as PROGRAM
from cairn.languages.record import PROSE, SCRIPT
from cairn.languages.registry import record_of
from cairn.store import SymbolRow
from cairn.syntax.trees import StoredNode

IN_CODE, IN_TEXT, IN_DOCS = "code", "strings", "docs"
UNRESOLVED, KEYWORD, BROKEN, QUALIFIED, FIELD, EXAMPLE, UNPARSED, DIRECTIVE = (
    "unresolved_use",
    "keyword_argument",
    "broken_code",
    "qualified_text",
    "template_field",
    "example_code",
    "unparsed_code",
    "directive",
)
_CLAUSE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)
_BEFORE = re.compile(rb"([\w$]+)\s*(?:[.:/\\#]|::|->)\s*\Z")
_IMPORTS = rb"\b(?:from|import|load|require|use)\b[^\n]*\b(?:%s)\b"
"""What takes something of one of some modules, in most languages."""
_DIRECTIVE = re.compile(rb"(?:\.\.\s+[\w:-]+::|`{3,}\s*\{[\w:-]+\})\s+[\w.]*\Z")
"""`.. autofunction:: module.`, and the same in Markdown."""
_FIELDS = ((b"{{", b"}}"), (b"{%", b"%}"), (b"<%", b"%>"), (b"{", b"}"))
"""What encloses the fields of templates; a single brace only those of formats, in code."""
_OF_A_SERVICE = b"${{"
"""What opens a value of those who run a workflow, which knows nothing of the program."""


@dataclass(frozen=True, slots=True)
class Account:
    """All places of the name, sorted by what they mean."""

    spots: tuple[Spot, ...]
    opened: tuple[OpenPlace, ...]
    mentions: tuple[Mention, ...]
    code_files: tuple[str, ...]
    """Files of the thing's language whose code holds the name: the account relies on what they are."""
    elsewhere: int
    """How many places certainly mean something else."""


def account(thing: Thing, sources: Iterable[SourceFile]) -> Account:
    """Judge every place of a thing's name in some files."""
    spots: list[Spot] = []
    opened: list[OpenPlace] = []
    mentions: list[Mention] = []
    code_files: list[str] = []
    elsewhere, held = 0, list(sources)
    qualifiers = frozenset((*_qualifiers(thing), *_packages(thing, held)))
    for source in held:
        words = words_in(source, thing.name)
        kin = bool(source.language) and family(source.language) == family(thing.family)
        if kin and any(word.kind == CODE for word in words):
            code_files.append(source.path)
        for found in _File(thing, source, kin, qualifiers).judged(words):
            if isinstance(found, Spot):
                spots.append(found)
            elif isinstance(found, OpenPlace):
                opened.append(found)
            elif isinstance(found, Mention):
                mentions.append(found)
            else:
                elsewhere += 1
    return Account(tuple(spots), tuple(opened), tuple(mentions), tuple(code_files), elsewhere)


class _File:
    """Decides for each word of one file what the rename does with it."""

    def __init__(self, thing: Thing, source: SourceFile, kin: bool, qualifiers: frozenset[str]) -> None:
        self._thing = thing
        self._source = source
        self._kin = kin
        self._text = source.text
        self._heads = [item.symbol for item in thing.definitions if item.path == source.path]
        self._qualifiers = qualifiers
        content = record_of(source.language).content if source.language else PROSE
        self._is_script = content == SCRIPT
        # A script, a setting, or a language that is not parsed may hold code of the thing's own language.
        alien = source.root is None if content == PROGRAM else content != PROSE
        self._holds_code = alien and self._imports()

    def _imports(self) -> bool:
        """Whether the file seems to import what the thing stands in."""
        modules = b"|".join(re.escape(each.encode()) for each in sorted(self._qualifiers))
        return bool(modules) and re.search(_IMPORTS % modules, self._source.data) is not None

    def judged(self, words: list[Word]) -> Iterator[Spot | OpenPlace | Mention | None]:
        self._defining: dict[int, list[Word]] = {}
        for word in words:
            if word.use is not None and word.use.role in ("definition", "write"):
                self._defining.setdefault(word.line, []).append(word)
        code = [self._code(word) if word.kind == CODE and self._kin else self._prose(word) for word in words]
        # A key that is given another name binds what it did before.
        changed = {(each.line, each.column) for each in code if isinstance(each, Spot) and each.form != AS_KEY}
        changed |= {(word.line, word.column) for word in words if word.again in changed}
        left = torn(self._source, self._thing.name, changed) if self._kin else frozenset()
        unsure = read_in_class(self._source, self._thing.name) if changed and self._thing.family == "python" else ()
        for word, found in zip(words, code, strict=True):
            # `name` in `name as name` repeats the meaning of another place, and so does the property of a setter.
            if (word.again is not None and word.again in changed) or self._decorates(word):
                yield self._text.spot(self._source.path, word.line, word.column, self._thing.name, SYNTACTIC)
            elif (found is None and (word.line, word.column) in left) or (word.line, word.column) in unsure:
                yield self._open(word, UNRESOLVED, IN_CODE)
            else:
                yield found

    def _code(self, word: Word) -> Spot | OpenPlace | None:
        thing, place = self._thing, (word.line, word.column)
        use = thing.uses.get((self._source.path, *place))
        if use is None and not self._is_head(word):
            broken = word.broken or word.use is None
            return self._open(word, BROKEN, IN_CODE) if broken else None
        if not self._text.holds(*place, thing.name):
            return self._open(word, UNRESOLVED, "")  # Written with other bytes than the name.
        if use is not None and use.tier != PROVEN:
            if not is_seen(thing, self._source.path, word.line):
                return None
            keyword = word.use is not None and word.use.keyword
            return self._open(word, KEYWORD if keyword else UNRESOLVED, LIKELY if use.tier == LIKELY else IN_CODE)
        provenance = SEMANTIC if use is not None and use.indexed else SYNTACTIC
        return self._text.spot(self._source.path, *place, thing.name, provenance, self._form(word))

    def _is_head(self, word: Word) -> bool:
        """Whether it defines the thing, and nothing else that has the name on the same line."""
        here = self._defining.get(word.line, [])
        heads = [head for head in self._heads if head.name_line == word.line] if word in here else []
        alike = [each for each in here if any(_is_in(each, head) for head in heads)]
        return bool(heads) and (word in alike or not alike)

    def _decorates(self, word: Word) -> bool:
        """Python's `@name.setter` before another definition of the same property."""
        if self._thing.reach != MEMBER or word.use is None or word.use.receiver or word.kind != CODE:
            return False
        if not self._text.data.startswith(b".", self._text.offset(word.line, word.column) + word.size):
            return False
        return self._kin and any(head.start_line <= word.line < head.name_line for head in self._heads)

    def _prose(self, word: Word) -> Spot | OpenPlace | Mention | None:
        if self._holds_code and word.kind != COMMENT and self._may_mean(word, self._source.data):
            return self._open(word, UNPARSED, IN_TEXT)
        if word.kind == CODE:
            return None  # It belongs to another language.
        if word.kind == COMMENT and self._kin and self._is_directive(word):
            return self._open(word, DIRECTIVE, IN_TEXT)
        if word.example and self._thing.family == "python" and self._may_mean(word, word.example):
            if self._is_own_example(word):
                return self._text.spot(self._source.path, word.line, word.column, self._thing.name, SYNTACTIC)
            return self._open(word, EXAMPLE, IN_TEXT)
        why = self._read_as_name(word)
        if why:
            return self._open(word, why, IN_TEXT)
        marked = self._is_marked(word)
        tier = "high" if marked else "low" if word.kind == STRING and not word.prose else "medium"
        where = word.kind if word.kind in (COMMENT, STRING) else TEXT
        return Mention(self._source.path, word.line, word.column, tier, where, self._text.shown(word.line))

    def _is_directive(self, word: Word) -> bool:
        """Whether it stands in a comment that tells a tool what to do: `//go:linkname name module.name`."""
        at = self._text.offset(word.line, word.column)
        line = self._text.data[self._text.data.rfind(b"\n", 0, at) + 1 : at]
        return any(each.encode() in line for each in table_of(self._thing.family).directives)

    def _may_mean(self, word: Word, code: bytes) -> bool:
        """Whether a word of code in a text, by what stands around it, may be the thing."""
        thing, at = self._thing, self._text.offset(word.line, word.column)
        before, after = self._text.data[:at].rstrip(b" "), self._text.data[at + word.size :].lstrip(b" ")
        if after.startswith(b"=") and not after.startswith(b"==") and before.endswith((b"(", b",")):
            called = {owner.symbol.name for owner in thing.owners}
            called |= {owner.symbol.container.rpartition(".")[2] for owner in thing.owners} - {""}
            return thing.reach != TOP and any(name.encode() in code for name in called)
        return before.endswith((b".", b"'", b'"')) if thing.reach == MEMBER else thing.reach == TOP

    def _is_own_example(self, word: Word) -> bool:
        """Whether it stands alone in an example of the thing's own module, which has its names, and gives it none."""
        name, at = re.escape(self._thing.name.encode()), self._text.offset(word.line, word.column)
        binds = rb"(?:>>>|\.\.\.).*(?:\b%s\s*(?:=[^=]|,.*=[^=]|:)|\b(?:as|for|def|class)\s+%s\b|import\b.*\b%s\b)"
        return (
            self._thing.reach == TOP
            and self._kin
            and any(item.path == self._source.path for item in self._thing.definitions)
            and not self._text.data[:at].rstrip(b" ").endswith(b".")
            and not is_answer(self._text.data, at)
            and not re.search(binds % (name, name, name), self._text.data)
        )

    def _read_as_name(self, word: Word) -> str:
        """Why a program may read a text as this very name, whatever reads it; empty where it may not."""
        if not word.exact or self._thing.reach == PARAMETER:
            return ""
        data, at = self._source.data, self._text.offset(word.line, word.column)
        before = data[data.rfind(b"\n", 0, at) + 1 : at]
        said = _BEFORE.search(before)
        if said is not None and said[1].decode("utf-8", "replace") in self._qualifiers:
            return QUALIFIED
        if self._thing.reach != MEMBER or not before.endswith(b".") or self._is_script:
            return ""
        fields = _FIELDS if word.kind == STRING else _FIELDS[:-1]
        before = before.replace(_OF_A_SERVICE, b"")
        return FIELD if any(before.rfind(opens) > before.rfind(closes) for opens, closes in fields) else ""

    def _is_marked(self, word: Word) -> bool:
        """Whether it stands between backticks, which mark code in prose, or is what a directive of documents names."""
        at = self._text.offset(word.line, word.column)
        around = self._text.data[max(0, at - 1) : at + word.size + 1]
        before = self._text.data[self._text.data.rfind(b"\n", 0, at) + 1 : at]
        return around.startswith(b"`") or around.endswith(b"`") or _DIRECTIVE.search(before) is not None

    def _open(self, word: Word, why: str, choice: str) -> OpenPlace:
        form = self._form(word)
        return OpenPlace(self._source.path, word.line, word.column, why, self._text.shown(word.line), choice, form)

    def _form(self, word: Word) -> str:
        """How the new name is written where a word is a key and its value in one."""
        at = self._text.offset(word.line, word.column)
        node = self._source.node(at, at + word.size)
        if self._thing.kind == ALIAS and is_handed_on(node):
            return AS_EXPORTED
        if not word.shorthand or self._thing.reach == MEMBER:
            return AS_KEY if word.shorthand else ""
        here = self._source.path
        if all(item.path == here for item in self._thing.definitions) and not (
            node is not None and _is_exported(node) and any(path != here for path, _, _ in self._thing.uses)
        ):
            return AS_VALUE
        if node is not None and node.type.endswith("_pattern"):
            # What a pattern takes out of a module: both, if all that it binds is the thing.
            bound = bound_with(self._source, self._thing.name, (word.line, word.column))
            return "" if all((here, *each) in self._thing.uses for each in bound) else AS_KEY
        return "" if node is not None and _is_exported(node) else AS_VALUE


def _is_in(word: Word, head: SymbolRow) -> bool:
    """Whether a place stands where a definition is: right in what holds it, or asked of that in a function of it."""
    within = word.use.within if word.use is not None else ""
    if word.use is not None and word.use.receiver:
        return within.startswith(f"{head.container}.")
    return within == head.container


def _is_exported(node: StoredNode) -> bool:
    """`module.exports = { name }`."""
    holder = node.parent.parent if node.parent is not None else None
    left = holder.child_by_field_name("left") if holder is not None else None
    return left is not None and left.text in (b"module.exports", b"exports")


def _packages(thing: Thing, sources: Iterable[SourceFile]) -> Iterator[str]:
    """Go: what the packages of a thing's files are called, whatever these are."""
    own = {item.path for item in thing.definitions} if thing.family == "go" else set()
    for source in sources:
        if source.path in own and (said := _CLAUSE.search(source.data)) is not None:
            yield said[1].decode()


def _qualifiers(thing: Thing) -> Iterator[str]:
    """What a text writes before the name to say whose it is: its type, or the module that it stands in."""
    for item in thing.definitions:
        if item.symbol.container:
            yield item.symbol.container.rpartition(".")[2]
        folder, _, file = item.path.rpartition("/")
        yield file.partition(".")[0]
        if file.startswith(("__init__.", "index.", "mod.")):
            yield folder.rpartition("/")[2]
