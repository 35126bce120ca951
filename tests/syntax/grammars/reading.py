"""Facts of a sample in a form that is short to write down."""

from cairn.languages.files import language_of
from cairn.syntax.facts import ParsedFile
from cairn.syntax.parse import parse_file


def read(path: str, source: str, chunk_bytes: int = 1500) -> ParsedFile:
    data = source.encode()
    parsed = parse_file(path, language_of(path, data[:100]), data, chunk_bytes, 1000)
    assert parsed.parsed
    return parsed


def outline(parsed: ParsedFile) -> list[str]:
    """Kind, qualified name and lines of each symbol, with a plus where it is exported."""
    return [
        f"{symbol.kind} {symbol.qualified_name} {symbol.start_line}-{symbol.end_line}{' +' if symbol.exported else ''}"
        for symbol in parsed.symbols
    ]


def signatures(parsed: ParsedFile) -> dict[str, str]:
    return {symbol.qualified_name: symbol.signature for symbol in parsed.symbols}


def docs(parsed: ParsedFile) -> dict[str, str]:
    return {symbol.qualified_name: symbol.doc for symbol in parsed.symbols if symbol.doc}


def imports(parsed: ParsedFile) -> list[tuple[str, int]]:
    return [(found.source, found.line) for found in parsed.imports]


def calls(parsed: ParsedFile) -> list[tuple[str, int, str]]:
    return [(call.name, call.line, call.caller) for call in parsed.calls]


def chunk_lines(path: str, source: str, chunk_bytes: int) -> list[tuple[int, int]]:
    return [(chunk.start_line, chunk.end_line) for chunk in read(path, source, chunk_bytes).chunks]


def read_broken(path: str, source: str) -> list[ParsedFile]:
    """The source cut off at many places and with pieces missing: none of it may raise."""
    cuts = range(1, len(source), max(1, len(source) // 40))
    return [read(path, source[:at]) for at in cuts] + [read(path, source[:at] + source[at + 9 :]) for at in cuts]
