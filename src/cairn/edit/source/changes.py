"""Changes of files by bytes, collected one by one, and the places that they come to."""

from collections.abc import Iterator

from cairn.base.values import dataclass, replace
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.texts import FileText
from cairn.edit.source.values import SYNTACTIC, Spot


@dataclass(frozen=True, slots=True)
class FileChange:
    """Some bytes of a file and what stands there instead; where there are none, it is put in before `start`."""

    path: str
    start: int
    end: int
    new: str
    provenance: str = SYNTACTIC


class Changes:
    """The changes of one edit; of what is put in at one place, the first stands first."""

    def __init__(self, sources: SourceFiles) -> None:
        self._sources = sources
        self._all: list[FileChange] = []

    def replace(self, path: str, start: int, end: int, new: str, provenance: str = SYNTACTIC) -> None:
        """Have another text somewhere."""
        self._all.append(FileChange(path, start, end, new, provenance))

    def insert(self, path: str, at: int, new: str) -> None:
        """Put a text in; the same text at the same place is put in once."""
        if FileChange(path, at, at, new) not in self._all:
            self._all.append(FileChange(path, at, at, new))

    def spots(self) -> tuple[Spot, ...]:
        """The places, each once: what is put in right before a change is part of it."""
        return tuple(self._spot(each) for each in self._joined())

    def _joined(self) -> Iterator[FileChange]:
        last: FileChange | None = None
        for each in sorted(self._all, key=lambda each: (each.path, each.start, each.end)):
            if last is not None and (last.path, last.start, last.end) == (each.path, each.start, each.start):
                last = replace(each, new=last.new + each.new)
                continue
            if last is not None and last.path == each.path and last.start <= each.start == each.end < last.end:
                if not last.new:
                    last = replace(last, new=each.new)  # What comes in where lines go stands in their place.
                    continue
            if last is not None:
                yield last
            last = each
        if last is not None:
            yield last

    def _spot(self, change: FileChange) -> Spot:
        data = self._sources.of(change.path).data if self._sources.has(change.path) else b""
        text = FileText(data)
        old = data[change.start : change.end].decode("utf-8", "replace")
        return text.spot(change.path, *text.place(change.start), old, change.provenance, new=change.new)
