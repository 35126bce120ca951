"""Names that scripts read by keys: `it["name"]`, `{ "name": 1 }`, `it[key]`, `for (key in it)`, `keyof It`, and what is
taken out of a module that is loaded late."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from cairn.edit.gate.case import NAME_AS_DATA, Case, Found, WrittenName
from cairn.edit.gate.possible import Given, is_other
from cairn.edit.gate.thing import MEMBER, PARAMETER, TOP
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import AS_KEY, Construct
from cairn.edit.source.words import CODE, STRING, Word, words_in
from cairn.edit.source.written import above, form_of, shown_to_people
from cairn.graph.customs import family
from cairn.graph.meaning import PROVEN
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition, key_of
from cairn.store import SymbolRow

_INDEXED = re.compile(rb"(?<=[\w$)\]])(?:\?\.)?\[|\bin\b|\.\.\.|\bkeyof\b|\bJSON\.parse\(|\.json\(\)")
_LATE = re.compile(rb"\b[\w.$]+\s*\(\s*[\"'`]([^\"'`]+)[\"'`]")
_ASKING = re.compile(rb"(?<=[\w$])(?:\?\.)?\[(?=\s*[\w$`])|[\w$]\s+in\s+(?=[\w$({\[.])")
_PAIRS = ("pair_pattern", "pair", "method_definition")
_GIVING = ("await_expression", "parenthesized_expression", "arguments", "return_statement", "statement_block")
_KEYS = ("pair", "method_definition", "computed_property_name")
_WHY = {
    "subscript_expression": "asks for a member by a name that it is given",
    "for_in_statement": "lists the names of members",
    "spread_element": "copies all that it holds",
    "rest_pattern": "takes all that is not named before it",
    "index_type_query": "takes the names of members for texts",
    "call_expression": "reads the names of members from a text",
    "binary_expression": "asks for a member by a name that it is given",
}


class Keys:
    """The keys of one snapshot, for one thing of a script."""

    def __init__(self, case: Case) -> None:
        self._case, self._thing, self._resolver = case, case.thing, case.resolver
        self._scripts = family(case.thing.family) == "javascript" and case.thing.reach != PARAMETER

    def found(self) -> Found:
        """Every place that names the thing by a key, and every construct that may."""
        thing = self._thing
        if not self._scripts:
            return
        yield from self.written()
        if self._case.is_erased:
            return
        words = {thing.name, *(owner.symbol.name for owner in thing.owners)}
        words |= {_stem(item.path) for item in thing.definitions} if thing.reach == TOP else set()
        near = {each.path: each for word in sorted(words) for each in self._case.files(word)}
        for source in near.values():
            yield from self._read(source)
            if thing.reach == TOP and thing.kind in (*FUNCTIONS, "class"):
                yield from self._called(source)
        languages = self._resolver.world.languages if thing.reach == MEMBER else {}
        for path in (path for path, language in languages.items() if family(language) == "javascript"):
            yield from self._handed_over(self._case.sources.of(path), near=path in near)

    def written(self) -> Iterator[WrittenName]:
        """Every place that names the thing by a key."""
        thing = self._thing
        for source in self._case.files() if self._scripts else ():
            for word in words_in(source, thing.name):
                if word.kind == STRING:
                    yield from self._written(source, word)
                elif word.kind == CODE and thing.reach == TOP:
                    yield from self._taken(source, word)
                elif word.kind == CODE:
                    yield from self._assigned(source, word)

    def _handed_over(self, source: SourceFile, *, near: bool) -> Iterator[Construct]:
        """Constructs, in whatever file, that are given what has the member: by callers, or in a loop over its names."""
        for node, of, key in source.once(_asking):
            line = node.start_point[0] + 1
            within = self._case.within(source.path, line)
            lists = node.type == "for_in_statement"
            if (
                self._case.is_of_class
                if lists
                else not self._may_become(key) or is_other(self._case, source, within, key)
            ):
                continue
            reaches = self._case.reaches_at(source, within, of)
            if reaches is None and not (near and self._case.is_worded):
                reaches = (self._listed if lists else self._keyed).may_be(source, within, of)
            elif near:
                continue  # It is read with all others of the file.
            if reaches:
                yield self._case.construct(source.path, line, NAME_AS_DATA, _WHY[node.type])

    @cached_property
    def _listed(self) -> Given:
        return Given(self._case, unknown=True)

    @cached_property
    def _keyed(self) -> Given:
        return Given(self._case, unknown=False, calls=self._case.has_to_do)

    def _may_become(self, key: Any) -> bool:
        """Whether a key that is no text alone can be the thing's name; what is written out is a place of the name."""
        form = form_of(key)
        alone = "string" in key.type and ".*" not in form
        return not alone and re.fullmatch(form, self._thing.name) is not None

    def _called(self, source: SourceFile) -> Iterator[Construct]:
        """Places that ask a class or a function for its own name, other than to show it to people."""
        own = re.escape(self._thing.name.encode())
        for match in re.finditer(rb"(?<![\w$.])(?:%s|new\.target|[\w$.()]+\.constructor)\.name\b" % own, source.data):
            node: Any = source.node(match.end() - 1, match.end())
            line = source.text.place(match.start())[0]
            if node is not None and "string" not in node.type and "comment" not in node.type:
                table = self._case.table
                if not shown_to_people(node, table.shows, table.spoken):
                    why = "reads what a class or a function is called"
                    yield self._case.construct(source.path, line, NAME_AS_DATA, why)

    def _written(self, source: SourceFile, word: Word) -> Iterator[WrittenName]:
        """The name as a text that is a key."""
        node: Any = source.at(word.line, word.column)
        string = node.parent if node is not None and node.type == "string_fragment" else node
        holder = string.parent if string is not None else None
        if holder is None or (string.text or b"")[1:-1] != self._thing.name.encode():
            return
        within = self._case.within(source.path, word.line)
        reaches: bool | None = False
        if holder.type == "subscript_expression" and holder.child_by_field_name("index") == string:
            reaches = self._case.reaches_at(source, within, holder.child_by_field_name("object"))
        elif holder.type == "binary_expression" and holder.child_by_field_name("operator").type == "in":
            reaches = self._case.reaches_at(source, within, holder.child_by_field_name("right"))
        elif self._thing.reach == TOP:
            return  # Only a module has it for a key.
        elif holder.type in _KEYS:
            meant = self._resolver.literals.meaning(source.path, self._thing.name, word.line, word.column, within)
            own = {key_of(each) for each in self._thing.definitions}
            hit = any(key_of(each) in own for each in meant.targets)
            reaches = (True if meant.tier == PROVEN else None) if hit else False
        elif holder.type == "literal_type" and holder.parent is not None:
            reaches = self._in_type(source, within, holder)
        elif "signature" in holder.type or "field_definition" in holder.type:
            line = word.line
            around = (each for each in self._resolver.world.scope(source.path).symbols if _covers(each, line))
            holders = (key_of(Definition(source.path, each)) for each in around)
            reaches = None if any(each in self._case.reach.near for each in holders) else False
        # A value of which nothing is known is hardly a module.
        if reaches or (reaches is None and self._thing.reach == MEMBER):
            yield WrittenName(source.path, word.line, word.column, reaches is True)

    def _in_type(self, source: SourceFile, within: str, node: Any) -> bool | None:
        """`It["name"]`, `Pick<It, "name">`."""
        outer = node.parent
        while outer is not None and outer.type == "union_type":
            node, outer = outer, outer.parent
        if outer is None or outer.type not in ("lookup_type", "type_arguments"):
            return False
        first = outer.named_children[0] if outer.named_children else None
        if first is None or first == node:
            return False
        return self._is_type(source, within, first.said)

    def _is_type(self, source: SourceFile, within: str, written: str) -> bool | None:
        """Whether a type that is written somewhere may have the member; None where nothing tells."""
        plain = re.sub(r"^typeof\s+|<.*|\[\]", "", written, flags=re.DOTALL).strip()
        before, _, last = plain.rpartition(".")
        if not re.fullmatch(r"[\w$.]+", plain):
            return None
        meant = self._resolver.meaning(source.path, last, before, within)
        if any(key_of(each) in self._case.reach.near for each in meant.targets):
            return True
        # What another name of a type is of isn't followed.
        known = meant.targets and not meant.open and all(each.symbol.kind != "type" for each in meant.targets)
        return False if known else None

    def _taken(self, source: SourceFile, word: Word) -> Iterator[WrittenName]:
        """A key in a file that loads the thing's module late, or names it to put something in its place."""
        place = (source.path, word.line, word.column)
        if place in self._thing.uses:
            return
        node: Any = source.at(word.line, word.column)
        holder = node.parent if node is not None else None
        in_pair = holder is not None and holder.type in _PAIRS and holder.child_by_field_name("value") != node
        if node is None or not (in_pair or node.type.startswith("shorthand_property")):
            return
        of = _taken_apart(holder if in_pair else node)
        if of is not None and self._case.reaches_at(source, self._case.within(source.path, word.line), of):
            yield WrittenName(*place, True, AS_KEY if word.shorthand else "")
            return
        paths = {item.path for item in self._thing.definitions}
        world = self._resolver.world
        for late in _LATE.findall(source.data):
            said = late.decode("utf-8", "replace")
            if paths & set(world.modules.resolve(source.language, source.path, said).paths):
                yield WrittenName(*place, False, AS_KEY if word.shorthand else "")
                return

    def _assigned(self, source: SourceFile, word: Word) -> Iterator[WrittenName]:
        """A key of what another object is given: `Object.assign(it, { name: 1 })`."""
        place = (source.path, word.line, word.column)
        node: Any = source.at(word.line, word.column)
        pair = node.parent if node is not None else None
        in_pair = pair is not None and pair.type in _KEYS and pair.child_by_field_name("value") != node
        literal: Any = pair.parent if in_pair and pair is not None else pair
        given: Any = literal.parent if literal is not None and literal.type == "object" else None
        call = given.parent if given is not None and given.type == "arguments" else None
        function = call.child_by_field_name("function") if call is not None else None
        if function is None or function.text != b"Object.assign" or place in self._thing.uses:
            return
        of = given.named_children[0]
        reaches = self._case.reaches_at(source, self._case.within(source.path, word.line), of)
        if of.type != "object" and reaches is not False:
            yield WrittenName(*place, reaches is True, AS_KEY if word.shorthand else "")

    def _read(self, source: SourceFile) -> Iterator[Construct]:
        """Constructs that read names by keys that are not written there."""
        for match in _INDEXED.finditer(source.data):
            node: Any = source.node(match.end() - 1, match.end())
            for _ in range(2):
                node = node.parent if node is not None and node.type not in _WHY else node
            node = node if node is not None and node.type in _WHY else None
            of = self._asked(node, match) if node is not None else None
            if of is None:
                continue
            line = node.start_point[0] + 1
            within = self._case.within(source.path, line)
            if callable(of):
                reaches = of(source, within)
            elif (reaches := self._case.reaches_at(source, within, of)) is None:
                reaches = self._thing.reach == MEMBER and self._case.is_worded
            if reaches:
                yield self._case.construct(source.path, line, NAME_AS_DATA, _WHY[node.type])

    def _asked(self, node: Any, match: re.Match[bytes]) -> Any:
        """What a construct reads the names of: a node, or a question about types."""
        thing, said = self._thing, match[0]
        if node.type == "subscript_expression" and said.endswith(b"["):
            index, of = node.child_by_field_name("index"), node.child_by_field_name("object")
            # The number of an enumeration's member leads to its name.
            plain = index is None or (index.type == "number" and not self._is_enumerated)
            asks = not plain and (index.type == "number" or self._may_become(index))
            return of if asks and node.start_byte < match.start() else None
        if node.type == "for_in_statement" and said == b"in" and not self._case.is_of_class:
            operator = node.child_by_field_name("operator")
            return node.child_by_field_name("right") if operator is None or operator.type == "in" else None
        if node.type == "spread_element" and thing.reach == TOP and said == b"...":
            return node.named_children[0] if node.named_children else None
        if thing.reach != MEMBER:
            return None
        if node.type == "rest_pattern" and node.parent.type == "object_pattern" and not self._case.is_of_class:
            said = node.parent.parent.child_by_field_name("type")
            return self._types(said.said) if said is not None else _taken_apart(node)
        if node.type == "index_type_query" and (self._case.is_worded or _makes_names(node)):
            return self._types(node.named_children[0].said)
        if node.type == "call_expression" and said.startswith((b"JSON", b".json")) and not self._case.is_of_class:
            written = _typed_as(node)
            return self._types(written) if written else None
        return None

    def _types(self, written: str) -> Callable[[SourceFile, str], bool]:
        names = [each for each in re.findall(r"[\w$.]+", written) if each[:1].isalpha() or each[:1] in "_$"]
        return lambda source, within: any(self._is_type(source, within, each) for each in names)

    @property
    def _is_enumerated(self) -> bool:
        return any(owner.symbol.kind == "enum" for owner in self._thing.owners)


def _asking(source: SourceFile) -> list[tuple[Any, Any, Any]]:
    """What asks a variable for a member by a name that it is given, and loops over the names of a value.

    Each with what is asked, and with the name.
    """
    found = []
    for match in _ASKING.finditer(source.data):
        node: Any = source.node(match.end() - 1, match.end())
        while node is not None and node.type not in ("subscript_expression", "for_in_statement", "binary_expression"):
            node = node.parent if node.end_byte <= match.end() or not node.is_named else None
        fields = ("object", "index") if node is not None and node.type == "subscript_expression" else ("right", "left")
        of, key = map(node.child_by_field_name, fields) if node is not None else (None, None)
        if of is None or key is None:
            continue
        operator = node.child_by_field_name("operator")
        if node.type == "for_in_statement" or (of.type == "identifier" and not _is_number(key)):
            if operator is None or operator.type == "in":
                found.append((node, of, key))
    return found


def _is_number(key: Any) -> bool:
    """Whether a key is a number, or one that is counted up."""
    if key.type != "identifier":
        return bool(key.type in ("number", "update_expression"))
    counted = re.escape(key.text)
    form = rb"\blet\s+(?:[\w$]+\s*=\s*[\w$.]+,\s*)?%s\s*=\s*\d|\b%s\??:\s*number\b|\b%s(?:\+\+|--)" % ((counted,) * 3)
    function = key
    while function.parent is not None and function.child_by_field_name("parameters") is None:
        function = function.parent
    return re.search(form, function.text) is not None


def _taken_apart(node: Any) -> Any:
    """What a key of a pattern, or the rest, is taken out of: `const { key } = it`; None where nothing tells."""
    pattern = node.parent
    holder = pattern.parent if pattern is not None and pattern.type == "object_pattern" else None
    if holder is None or holder.type not in ("variable_declarator", "assignment_expression"):
        return None
    return holder.child_by_field_name("value") or holder.child_by_field_name("right")


def _typed_as(node: Any) -> str:
    """The type that what is read from a text is taken for."""
    while node is not None and node.parent is not None:
        node = node.parent
        if node.type in ("as_expression", "satisfies_expression"):
            return str(node.named_children[-1].said)
        fields = ("type", "type_arguments", "return_type")
        said = next(filter(None, map(node.child_by_field_name, fields)), None)
        if said is not None:
            return str(said.said)
        if node.type not in _GIVING:
            return ""
    return ""


def _makes_names(node: Any) -> bool:
    """Whether a type puts names together: ``[K in keyof It as `get_${K}`]``."""
    return any(b"`" in (outer.text or b"") for outer in above(node) if outer.type.endswith("_declaration"))


def _covers(symbol: SymbolRow, line: int) -> bool:
    return symbol.start_line <= line <= symbol.end_line


def _stem(path: str) -> str:
    folder, _, file = path.rpartition("/")
    stem = file.partition(".")[0]
    return folder.rpartition("/")[2] if stem == "index" and folder else stem
