"""Semantic facts for tests: what real tools wrote about the recorded projects, or places that a test marks itself."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cairn.base.linemap import line_marks
from cairn.base.ulid import new_ulid
from cairn.codebase.codebase import Codebase
from cairn.semantic.frames import frame_of
from cairn.semantic.naming import named
from cairn.semantic.scip.columns import Encoding, TextMap, encoding_of
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scip.symbols import Suffix, parse_symbol
from cairn.semantic.state import FileNow
from cairn.store import (
    Manifest,
    SemanticFile,
    SemanticFlag,
    SemanticMeta,
    SemanticOccurrence,
    SemanticSymbol,
    SemanticWriter,
)
from cairn.store.semantics import DEFINITION, IMPLEMENTATION
from cairn.store.staging import Staging
from tests.semantic.recorded import recorded

Placed = tuple[int, int, int, int, str, int]
"""Line from 1, column in bytes, end of both, symbol, roles."""
_KINDS = {
    Suffix.NAMESPACE: "module",
    Suffix.TYPE: "class",
    Suffix.TERM: "field",
    Suffix.METHOD: "method",
    Suffix.PARAMETER: "parameter",
    Suffix.TYPE_PARAMETER: "type_parameter",
    Suffix.META: "module",
    Suffix.LOCAL: "local",
}
_SHOP = re.compile(r"\S+ \S+ shop ")


def publish(
    codebase: Codebase,
    context: str,
    files: Mapping[str, Sequence[Placed]],
    *,
    overrides: Iterable[tuple[str, str]] = (),
    flags: Mapping[str, Sequence[SemanticFlag]] | None = None,
    keep: Sequence[str] = (),
    config_hash: str = "",
) -> Manifest:
    """Publish the facts of some files as the snapshot has them; a file depends on those that define what it uses."""
    store = codebase.store()
    meta = SemanticMeta(context, new_ulid(), "tool", "1", config_hash, "head")
    writer = SemanticWriter(store.layout, Staging(store.layout, new_ulid()).folder("semantic"), meta)
    numbers: dict[tuple[str, str], int] = {}
    homes = {place[4]: path for path, places in files.items() for place in places if place[5] & DEFINITION}

    def number(path: str, symbol: str) -> int:
        home = path if symbol.startswith("local ") else ""
        return numbers.setdefault((symbol, home), len(numbers) + 1)

    with codebase.view() as view:
        now = {path: FileNow(content, interface) for path, content, interface in view.rows.shows()}
        for path, places in files.items():
            known = [SemanticOccurrence(*place[:4], number(path, place[4]), place[5]) for place in places]
            writer.add_file(SemanticFile(path, now[path].content_hash, meta.job_id), known)
            needed = {homes[place[4]] for place in places if place[4] in homes} - {path}
            writer.add_dependencies(path, {each: now[each].shown for each in needed})
            writer.add_flags(path, (flags or {}).get(path, ()))
            frame = frame_of(now[path].interface_hash, view.facts.of(path).edges)
            writer.add_frame(path, frame, line_marks(view.rows.whole_text_of(path) or b""))
        for one, other in overrides:
            told = [(number("", one), number("", other), IMPLEMENTATION)]
            writer.add_relationships(homes.get(one, next(iter(files))), told)
        writer.add_symbols(
            SemanticSymbol(count, symbol, _written(symbol), _KINDS[parse_symbol(symbol).kind], home)
            for (symbol, home), count in numbers.items()
        )
        view.copy_semantic(writer, context, keep)
    return store.publish_semantic(writer.finish())


def _written(symbol: str) -> str:
    told = named(symbol)
    name = told.name if told is not None else parse_symbol(symbol).name
    # scip-typescript counts the keys of objects: `name0:`.
    return name.rstrip("0123456789") if symbol.startswith("scip-typescript ") and symbol.endswith(":") else name


def publish_recorded(codebase: Codebase, tool: str, context: str, prefix: str = "") -> Manifest:
    """What a real tool wrote about its recorded project, which stands beneath a folder of the codebase."""
    index = read_index(str(recorded(tool)))
    documents = list(index.documents())
    defined = {each.symbol for document in documents for each in document.occurrences if each.defines}
    told = [
        (symbol.symbol, related.symbol)
        for document in documents
        for symbol in document.symbols
        for related in symbol.relationships
        if related.implementation
    ]
    files: dict[str, list[Placed]] = {}
    with codebase.view() as view:
        for document in documents:
            path = prefix + document.path
            text = (view.rows.whole_text_of(path) or b"").decode()
            places = TextMap(text, encoding_of(Encoding.UNSPECIFIED, tool), tool)
            lines = text.split("\n")
            files[path] = []
            for each in document.occurrences:
                if _SHOP.match(each.symbol) and each.symbol not in defined:
                    continue  # an edge that leads nowhere, as those of star imports do
                at = [places.place(each.line, each.column), places.place(each.end_line, each.end_column)]
                (line, column), (end, stop) = ((row, len(lines[row][:char].encode())) for row, char in at)
                files[path].append((line + 1, column, end + 1, stop, each.symbol, each.roles))
    return publish(codebase, context, files, overrides=told)


def marked(text: str, symbols: Mapping[str, str]) -> Iterator[Placed]:
    """Places of words in a text, `word` or `word@nth`, as uses of symbols; with `!` before it as a definition."""
    for word, symbol in symbols.items():
        plain, _, nth = word.strip().removeprefix("!").partition("@")
        places = [match.start() for match in re.finditer(rf"\b{re.escape(plain)}\b", text)]
        at = places[int(nth or 1) - 1]
        line = text.count("\n", 0, at) + 1
        column = len(text[text.rfind("\n", 0, at) + 1 : at].encode())
        yield line, column, line, column + len(plain.encode()), symbol, int(word.startswith("!"))
