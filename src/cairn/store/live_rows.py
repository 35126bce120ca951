"""Live files and their rows: what they are, what they hold, and their text."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from cairn.store._candidates import FileAt
from cairn.store.live_pinned import LiveReader, living
from cairn.store.live_values import Located
from cairn.store.rows import ChunkRow, FileRow, RowHead, whole_text


class LiveRows(LiveReader):
    """The files of a view and their rows."""

    __slots__ = ()

    def file(self, path_key: str) -> FileRow | None:
        """A live file; None for one that the snapshot doesn't have."""
        for segment in self._holding(path_key):
            found = segment.rows.file(path_key)
            if found is not None:
                return found
        return None

    def contents(self) -> Iterator[tuple[str, str, int]]:
        """(path, hash, chunks) of every live file: what a sync compares the tree with."""
        for segment in self._segments:
            yield from living(segment.rows.contents(), segment.dead)

    def shows(self) -> Iterator[tuple[str, str, str]]:
        """(path, hash of the content, hash of what others can see of it) of every live file."""
        for segment in self._segments:
            yield from living(segment.rows.shows(), segment.dead)

    def languages(self) -> Iterator[tuple[str, str]]:
        """(path, language) of every live file."""
        for segment in self._segments:
            yield from living(segment.rows.languages(), segment.dead)

    def files_where(self, wanted: Callable[[FileRow], bool]) -> set[FileAt]:
        """Every live file that passes a test."""
        return {
            (index, number)
            for index, segment in enumerate(self._segments)
            for number, file in enumerate(segment.rows.files())
            if file.path_key not in segment.dead and wanted(file)
        }

    def of(self, path_key: str) -> list[ChunkRow]:
        """A live file's rows in order; empty for a file that the snapshot doesn't have."""
        for segment in self._holding(path_key):
            rows = segment.rows.rows_of(path_key)
            if rows:
                return rows
        return []

    def at(self, at: FileAt) -> list[ChunkRow]:
        """A file's rows in order."""
        segment = self._segments[at[0]]
        ((file, first),) = segment.rows.numbered_files([at[1]]).values()
        return segment.rows.rows(list(range(first, first + file.chunks)))

    def chosen(self, wanted: Sequence[tuple[FileAt, int]]) -> list[ChunkRow]:
        """Rows by file and ordinal, in the order asked for."""
        found: dict[tuple[FileAt, int], ChunkRow] = {}
        for index, segment in enumerate(self._segments):
            own = [(at, ordinal) for at, ordinal in wanted if at[0] == index]
            firsts = segment.rows.numbered_files(sorted({at[1] for at, _ in own}))
            rows = segment.rows.rows([firsts[at[1]][1] + ordinal for at, ordinal in own])
            found |= dict(zip(own, rows, strict=True))
        return [found[place] for place in wanted]

    def heads(self, wanted: Mapping[FileAt, Sequence[int]]) -> dict[FileAt, dict[int, RowHead]]:
        """Rows of some files by their ordinals, without their texts."""
        found: dict[FileAt, dict[int, RowHead]] = {}
        for index, segment in enumerate(self._segments):
            own = [at for at in wanted if at[0] == index]
            firsts = segment.rows.numbered_files([number for _, number in own])
            rows = segment.rows.heads([firsts[at[1]][1] + ordinal for at in own for ordinal in wanted[at]])
            for at in own:
                first = firsts[at[1]][1]
                found[at] = {ordinal: rows[first + ordinal] for ordinal in wanted[at]}
        return found

    def whole_text_of(self, path_key: str) -> bytes | None:
        """A live file's whole text as it was indexed."""
        for index, segment in enumerate(self._segments):
            if path_key not in segment.dead and (number := segment.rows.file_number(path_key)) is not None:
                ((file, first),) = segment.rows.numbered_files([number]).values()
                return self.text_of(Located((index, number), first, file))
        return None

    def text_of(self, item: Located) -> bytes:
        """A file's whole text as it was indexed."""
        pieces = self._segments[item.at[0]].rows.pieces(item.first, item.file.chunks)
        return whole_text(pieces, item.file.blanks.encode())
