"""Semantic facts as one snapshot may serve them: those of files that have the content that they were made from."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from cairn.base import deadline
from cairn.store._semanticfile import SemanticReader
from cairn.store.manifest import SemanticRef
from cairn.store.semantics import Recorded, SemanticFile, SemanticMeta, SemanticOccurrence, SemanticSymbol

LinesOf = Callable[[str], Mapping[int, int]]
"""Of an edited file, where lines that its facts are about stand now; empty if none may be served."""


class SemanticFacts:
    """What is known of one context. A file that was edited since has no facts here until it is refreshed."""

    def __init__(self, ref: SemanticRef, reader: SemanticReader, live_hash: Callable[[str], str | None]) -> None:
        self.ref = ref
        self._reader = reader
        self._live_hash = live_hash
        self._served: dict[str, bool] = {}

    @property
    def _facts(self) -> SemanticReader:
        # Every question passes here, so this is where one ends that nobody waits for any more.
        deadline.check()
        return self._reader

    def serves(self, path: str) -> bool:
        """Whether the facts of a file are those of its live content."""
        facts, known = self._facts, self._served.get(path)
        if known is None:
            file = facts.file(path)
            known = self._served[path] = file is not None and self._live_hash(path) == file.content_hash
        return known

    def meta(self) -> SemanticMeta:
        """What the facts were made with."""
        return self._facts.meta()

    def files(self) -> list[SemanticFile]:
        """Every file that facts are recorded of, served or not, in order."""
        return list(self._facts.files())

    def recorded(self) -> dict[str, Recorded]:
        """What states are computed from: of every file, served or not."""
        return self._facts.recorded()

    def occurrences_in(self, path: str) -> list[SemanticOccurrence]:
        """What stands in a file, in order of place."""
        return self._facts.occurrences_in(path) if self.serves(path) else []

    def occurrences_on(self, path: str, lines: Sequence[int]) -> list[SemanticOccurrence]:
        """What begins on some lines of a file, in order of place."""
        return self._facts.occurrences_on(path, lines) if self.serves(path) else []

    def occurrences_of(self, symbols: Sequence[int], *, defining: bool = False) -> list[tuple[str, SemanticOccurrence]]:
        """Every place of some symbols, or those that define them, in order of file and place."""
        found = self._facts.occurrences_of(symbols, defining=defining)
        return [item for item in found if self.serves(item[0])]

    def knows(self, path: str) -> bool:
        """Whether facts of a file are there, served or not."""
        return self._facts.file(path) is not None

    def symbols(self, numbers: Sequence[int]) -> dict[int, SemanticSymbol]:
        """Symbols by their numbers."""
        return self._facts.symbols(numbers)

    def symbols_named(self, name: str) -> list[SemanticSymbol]:
        """Symbols that other files can name, by their own name."""
        return self._facts.symbols_named(name)

    def definers(self, symbols: Collection[str]) -> dict[str, set[str]]:
        """Files that define symbols, as far as they were recorded, served or not."""
        found: dict[str, set[str]] = {}
        for symbol, path in self._facts.definers(sorted(symbols)):
            found.setdefault(symbol, set()).add(path)
        return found

    def leanings(self) -> Iterator[tuple[str, list[str], int]]:
        """For each file and each thing of other files that it used: the files that defined it, and how often it did."""
        return self._facts.leanings()

    def left_out(self) -> list[str]:
        """Files that the tool was asked for and has nothing about, in order."""
        return self._facts.left_out()

    def occurrences_then(self, path: str, lines: Sequence[int]) -> list[SemanticOccurrence]:
        """What began on some lines of a file when the facts were made, whatever it has now."""
        return self._facts.occurrences_on(path, lines)

    def frame(self, path: str) -> tuple[str, bytes] | None:
        """By what a file can be told to mean the same after an edit, and the marks of the lines that it had."""
        return self._facts.frame(path)

    def carrying(self, moved: "LinesOf") -> "CarriedFacts":
        """The same facts with those of edited files, where `moved` knows of lines that stand."""
        return CarriedFacts(self.ref, self._reader, self._live_hash, moved)

    def close(self) -> None:
        """Close the file of the facts."""
        self._reader.close()

    def related(self, symbols: Sequence[int]) -> list[tuple[int, int, str]]:
        """(symbol, other, kind) of relationships that some symbols have, from either side."""
        found = self._facts.related(symbols)
        return [(symbol, other, kind) for path, symbol, other, kind in found if self.serves(path)]


class CarriedFacts(SemanticFacts):
    """Facts with those of edited files, each at the place where its line stands now."""

    def __init__(
        self, ref: SemanticRef, reader: SemanticReader, live_hash: Callable[[str], str | None], moved: LinesOf
    ) -> None:
        super().__init__(ref, reader, live_hash)
        self._moved = moved

    def is_exact(self, path: str) -> bool:
        """Whether the facts of a file are those of its live content."""
        return super().serves(path)

    def serves(self, path: str) -> bool:
        """Whether facts of a file are known to hold for all of it, or for lines of it."""
        return super().serves(path) or bool(self._moved(path))

    def occurrences_in(self, path: str) -> list[SemanticOccurrence]:
        return list(self._placed(path, self._facts.occurrences_in(path)))

    def occurrences_on(self, path: str, lines: Sequence[int]) -> list[SemanticOccurrence]:
        if not self.is_exact(path):
            wanted = set(lines)
            lines = [then for then, now in self._moved(path).items() if now in wanted]
        return list(self._placed(path, self._facts.occurrences_on(path, lines)))

    def occurrences_of(self, symbols: Sequence[int], *, defining: bool = False) -> list[tuple[str, SemanticOccurrence]]:
        found = self._facts.occurrences_of(symbols, defining=defining)
        return [(path, placed) for path, each in found for placed in self._placed(path, (each,))]

    def _placed(self, path: str, found: Iterable[SemanticOccurrence]) -> Iterator[SemanticOccurrence]:
        if self.is_exact(path):
            yield from found
            return
        moved = self._moved(path)
        for each in found:
            line, end = moved.get(each.line), moved.get(each.end_line)
            if line is not None and end is not None and end - line == each.end_line - each.line:
                yield each._replace(line=line, end_line=end)
