"""What live files define, use and import."""

from collections.abc import Callable, Collection, Iterator, Sequence

from cairn.store._candidates import FileAt
from cairn.store._segment import SegmentReader
from cairn.store.live_pinned import LiveReader, expecting, living
from cairn.store.rows import NO_FACTS, EdgeRow, Facts, OccurrenceRow, SymbolRow


class LiveFacts(LiveReader):
    """The syntactic facts of a view's files."""

    __slots__ = ()

    def of(self, path_key: str) -> Facts:
        """What is known of a live file beside its chunks."""
        for segment in self._holding(path_key):
            number = segment.rows.file_number(path_key)
            if number is not None:
                return segment.rows.facts_of(number)
        return NO_FACTS

    def symbols_named(self, names: Collection[str], limit: int) -> list[tuple[FileAt, SymbolRow]]:
        """Live definitions whose names are, but for case, among some."""
        folded = sorted({name.casefold() for name in names})
        if not folded:
            return []
        return self._live_symbols(lambda segment: segment.rows.symbols_named(folded), limit)

    def symbols_starting(self, names: Collection[str], limit: int) -> list[tuple[FileAt, SymbolRow]]:
        """Live definitions whose names begin, but for case, with one of some."""
        folded = sorted({name.casefold() for name in names})
        return self._live_symbols(
            lambda segment: [hit for name in folded for hit in segment.rows.symbols_starting(name)], limit
        )

    def symbols_with_paths(self, names: Collection[str], limit: int) -> list[tuple[str, SymbolRow]]:
        """Live definitions by name, but for case, each with its file's path."""
        found = self.symbols_named(names, limit)
        paths = self._paths_of({at for at, _ in found})
        return [(paths[at], symbol) for at, symbol in found]

    def symbols_at(self, files: Collection[FileAt]) -> dict[FileAt, list[SymbolRow]]:
        """What each of some files defines, in order."""
        found: dict[FileAt, list[SymbolRow]] = {}
        for index, segment in enumerate(self._segments):
            numbers = sorted(number for owner, number in files if owner == index)
            symbols = segment.rows.symbols_in(numbers)
            found |= {(index, number): list(symbols[number]) for number in numbers}
        return found

    def symbols_qualified(self, at: FileAt, name: str) -> list[SymbolRow]:
        """What a file defines under one qualified name, in order."""
        return self._segments[at[0]].rows.symbols_qualified(at[1], name)

    def names(self, start: str = "") -> set[str]:
        """Every casefolded name that a file defines and that begins so; of some the file may be one that is hidden."""
        return {name for segment in self._segments for name, _ in segment.rows.names_starting(start)}

    def all_symbols(self) -> Iterator[tuple[str, SymbolRow]]:
        """Every live definition with its file's path."""
        for segment in self._segments:
            yield from living(segment.rows.all_symbols(), segment.dead)

    def defined(self) -> Iterator[tuple[str, str, str, str, int, int]]:
        """(path, name, kind, container, whether others see it, bytes of the line that shows it) of what live files
        define, that of one file in order."""
        for segment in self._segments:
            yield from living(segment.rows.defined(), segment.dead)

    def definitions_in(self, at: FileAt) -> list[tuple[int, int, str]]:
        """(start line, end line, qualified name) of what a file defines, the outer before the inner."""
        return self._segments[at[0]].rows.definitions_in(at[1])

    def names_of(self, paths: Collection[str]) -> dict[str, tuple[str, tuple[SymbolRow, ...], tuple[EdgeRow, ...]]]:
        """The language, definitions and imports of some live files."""
        found: dict[str, tuple[str, tuple[SymbolRow, ...], tuple[EdgeRow, ...]]] = {}
        for segment in self._segments:
            found |= segment.rows.names_of([path for path in paths if path not in segment.dead])
        return found

    def occurrences_in(self, path_key: str) -> tuple[OccurrenceRow, ...]:
        """What a live file uses, in order."""
        return self.of(path_key).occurrences

    def called(self) -> Iterator[tuple[str, str, str]]:
        """(path, name, what it is asked of) of every use in live files."""
        for segment in self._segments:
            yield from living(segment.rows.called(), segment.dead)

    def imports(self) -> Iterator[tuple[str, str, str, str]]:
        """(path, kind, what is asked for, what is bound) of every import of live files, those of one file in order."""
        for segment in self._segments:
            yield from living(segment.rows.imports(), segment.dead)

    def imports_of(self, files: Sequence[FileAt]) -> list[list[str]]:
        """What each of some files imports, as written."""
        segments = expecting(self._segments, files)
        return [segments[owner].rows.imports_of([number])[number] for owner, number in files]

    def renaming_imports(self) -> Iterator[tuple[str, str]]:
        """(path, what is bound) of live files' imports that give something another name."""
        for segment in self._segments:
            yield from living(segment.rows.renaming_imports(), segment.dead)

    def module_imports(self, languages: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """(path, source, what is bound) of imports that name a module as a whole, in live files of some languages."""
        for segment in self._segments:
            yield from living(segment.rows.module_imports(languages), segment.dead)

    def _paths_of(self, places: Collection[FileAt]) -> dict[FileAt, str]:
        found: dict[FileAt, str] = {}
        for index, segment in enumerate(self._segments):
            numbers = sorted(number for owner, number in places if owner == index)
            found |= {(index, n): file.path_key for n, (file, _) in segment.rows.numbered_files(numbers).items()}
        return found

    def _live_symbols(
        self, lookup: Callable[[SegmentReader], list[tuple[int, SymbolRow]]], limit: int
    ) -> list[tuple[FileAt, SymbolRow]]:
        found = []
        for index, segment in enumerate(self._segments):
            hits = lookup(segment)
            files = segment.rows.numbered_files(sorted({number for number, _ in hits}))
            for number, symbol in hits:
                path_key = files[number][0].path_key
                if path_key not in segment.dead:
                    found.append((path_key, (index, number), symbol))
        # The cut must not depend on how rows are spread over segments.
        found.sort(key=lambda hit: (hit[0], hit[2].start_line, hit[2].qualified_name))
        return [(place, symbol) for _, place, symbol in found[:limit]]
