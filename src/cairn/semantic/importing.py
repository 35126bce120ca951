"""Stands in for the real import until it is merged."""

from typing import Protocol

from cairn.semantic.scip import Index
from cairn.store import SemanticFile, SemanticFlag, SemanticSymbol, SemanticWriter
from cairn.values import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    data: bytes
    content_hash: str
    shown: str
    flags: tuple[SemanticFlag, ...] = ()


class Sources(Protocol):
    def source(self, path: str) -> Source | None: ...


@dataclass(frozen=True, slots=True)
class Imported:
    files: int
    occurrences: int
    dropped: int
    touched: frozenset[str]


def import_index(
    index: Index, context_root: str, prefix: str, sources: Sources, writer: SemanticWriter, job_id: str
) -> Imported:
    numbers: dict[tuple[str, str], int] = {}
    files = occurrences = 0
    touched = set()
    defined: dict[str, str] = {}
    used: dict[str, set[str]] = {}
    shown: dict[str, str] = {}
    for document in index.documents():
        path = "/".join(filter(None, (context_root, prefix, document.path)))
        source = sources.source(path)
        if source is None:
            touched.add(path)
            for item in document.occurrences:
                if item.roles & 1 and not item.symbol.startswith("local "):
                    defined[item.symbol] = path
            continue
        shown[path] = source.shown
        rows = []
        for item in document.occurrences:
            local = item.symbol.startswith("local ")
            key = (item.symbol, path if local else "")
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                name = item.symbol.rstrip(".#/:()").replace("/", ".").replace("#", ".").split(".")[-1].strip("`")
                writer.add_symbols([SemanticSymbol(numbers[key], item.symbol, name, "", key[1])])
            if item.roles & 1 and not local:
                defined[item.symbol] = path
            elif not local:
                used.setdefault(path, set()).add(item.symbol)
            rows.append((item.line + 1, item.column, item.end_line + 1, item.end_column, numbers[key], item.roles))
        writer.add_file(SemanticFile(path, source.content_hash, job_id), rows)
        writer.add_flags(path, source.flags)
        files += 1
        occurrences += len(rows)
    for path, symbols in used.items():
        targets = {defined[symbol] for symbol in symbols if symbol in defined} - {path}
        writer.add_dependencies(path, {target: shown.get(target, "") for target in targets})
        if targets & touched:
            touched.add(path)
    return Imported(files, occurrences, 0, frozenset(touched))
