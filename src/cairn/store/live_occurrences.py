"""Where the names of live files stand, the trees that they stand in, and the values that flow to them."""

from collections.abc import Sequence

from cairn.base.values import dataclass
from cairn.store.live_pinned import LiveReader
from cairn.store.nameblocks import NamePlaces
from cairn.store.rows import FlowRow, NamePlace


@dataclass(frozen=True, slots=True)
class NameInFile:
    """The places of a name in one live file, as columns."""

    name: str
    segment: int
    placed: NamePlaces


class LiveOccurrences(LiveReader):
    """The occurrences of a view's files."""

    __slots__ = ()

    def named(self, name: str) -> dict[str, NameInFile]:
        """The places of a name by the paths of live files."""
        found: dict[str, NameInFile] = {}
        for index, segment in enumerate(self._segments):
            placed = [*segment.rows.placed(name)]
            files = segment.rows.numbered_files([each.file for each in placed])
            for each in placed:
                path = files[each.file][0].path_key
                if path not in segment.dead:
                    found[path] = NameInFile(name, index, each)
        return found

    def rows(self, here: NameInFile) -> list[NamePlace]:
        """Each place of a name in a file, in order."""
        return self._segments[here.segment].rows.placed_rows(here.name, here.placed)

    def named_in(self, name: str, path_key: str) -> list[NamePlace]:
        """The places of a name in one live file, in order."""
        here = self._here(name, path_key)
        return self.rows(here) if here is not None else []

    def whats_in(self, name: str, path_key: str) -> Sequence[int]:
        """What each place of a name in one live file is, and no more of it."""
        here = self._here(name, path_key)
        return here.placed.whats if here is not None else ()

    def shapes_of(self, path_key: str) -> Sequence[str]:
        """The shapes of a live file's tree alone; empty where it has none."""
        for segment in self._holding(path_key):
            number = segment.rows.file_number(path_key)
            if number is not None:
                return segment.rows.tree(number)[0]
        return ()

    def tree_of(self, path_key: str) -> tuple[Sequence[str], bytes]:
        """The shapes and the columns of a live file's tree; both are empty where it has none."""
        for segment in self._holding(path_key):
            number = segment.rows.file_number(path_key)
            if number is not None:
                return segment.rows.unpacked_tree(number)
        return (), b""

    def flows_of(self, path_key: str) -> list[FlowRow]:
        """How values flow in a live file, in order of place."""
        for segment in self._holding(path_key):
            number = segment.rows.file_number(path_key)
            if number is not None:
                return segment.rows.flows(number)
        return []

    def _here(self, name: str, path_key: str) -> NameInFile | None:
        segments = self._segments
        for index in reversed(range(len(segments))):
            rows = segments[index].rows
            number = rows.file_number(path_key) if path_key not in segments[index].dead else None
            if number is not None:
                placed = rows.placed_in(name, number)
                return NameInFile(name, index, placed) if placed is not None else None
        return None
