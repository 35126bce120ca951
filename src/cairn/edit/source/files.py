"""The files that a rename reads: each of the snapshot once, and code outside of the index only to look for a name."""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import Doubt
from cairn.graph.occurrences import tree_in
from cairn.graph.symbols import files_with
from cairn.languages.files import language_of
from cairn.semantic.contexts.families import Family, family_of
from cairn.store import SnapshotView
from cairn.workspace.eligibility import SkipReason
from cairn.workspace.reads import Opener
from cairn.workspace.unread import holding

_MOST = 5


@dataclass(frozen=True, slots=True)
class UnindexedFiles:
    """The files of code that a sync could not take in."""

    tree: Opener
    files: Sequence[tuple[str, str]]
    """The path of each, and why it was left out."""

    def doubts(self, name: str, family: Family | None) -> Iterator[Doubt]:
        """Doubts about files of a language family that hold a name or can't be read."""
        found = list(holding(self.tree, self._code(family), [name]))
        for place, (path, reason) in enumerate(found[:_MOST], start=1):
            more = f", and so are {len(found) - _MOST} more" if len(found) > place == _MOST else ""
            yield Doubt(
                "unread_file",
                f"{path} is not in the index ({reason}) and may use {name}{more}: does it?",
                "what the file does with the name",
                "read it, or make it one that can be indexed",
            )

    def _code(self, family: Family | None) -> list[tuple[str, str]]:
        # What a secret says is nobody's to change.
        own = (each for each in self.files if family is not None and each[1] != SkipReason.SECRET)
        return [each for each in own if family_of(language_of(each[0])) is family]


_NAME = re.compile(rb"[A-Za-z_$\x80-\xff][0-9A-Za-z_$\x80-\xff]*")


class SourceFiles:
    """The files of a snapshot, cached for one draft."""

    def __init__(self, view: SnapshotView) -> None:
        self._view = view
        self._by_folder = cache(self._folders)
        self.of = cache(self._of)
        """A file by its path."""

    def has(self, path: str) -> bool:
        """Whether the snapshot has a file."""
        return self._view.rows.file(path) is not None

    def beside(self, folder: str, form: re.Pattern[str]) -> list[str]:
        """Files of a folder whose paths match a pattern."""
        return [path for path in self._by_folder().get(folder, ()) if form.search(path)]

    def holding(self, word: str) -> Iterator[SourceFile]:
        """Files that may hold a word, in order of their paths."""
        return (self.of(item.file.path_key) for item in files_with(self._view, word))

    def hashes(self, paths: Iterable[str]) -> dict[str, str]:
        """The hashes of some files in the snapshot; those that it doesn't have are left out."""
        files = ((path, self._view.rows.file(path)) for path in sorted(paths))
        return {path: file.file_hash for path, file in files if file is not None}

    def _folders(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, _ in self._view.rows.languages():
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def _of(self, path: str) -> SourceFile:
        view = self._view
        file, data = view.rows.file(path), view.rows.whole_text_of(path)
        if file is None or data is None:
            raise NotIndexedError(f"{path} is not in the snapshot.", hint=Advice(NextStep("preview"), " to see why."))
        return SourceFile(
            path,
            file.language,
            data,
            lambda: tree_in(view, path, data),
            lambda name: view.occurrences.named_in(name, path),
        )


def name_at(source: SourceFile, line: int, column: int) -> tuple[str, int]:
    """The name at a place, and where it begins; the place right after a name counts too."""
    lines = source.data.split(b"\n")
    last = len(lines) - (not lines[-1])
    if not 1 <= line <= last:
        raise UsageError(
            f"{source.path} has no line {line}.", hint=f"Its last line is {last}." if last else "It is empty."
        )
    if not 1 <= column <= len(lines[line - 1]) + 1:
        raise UsageError(f"{source.path}:{line} has no column {column}.", hint="Columns are bytes, counted from 1.")
    start = sum(map(len, lines[: line - 1])) + line - 1
    mark = len(codecs.BOM_UTF8) if line == 1 and source.data.startswith(codecs.BOM_UTF8) else 0
    for match in _NAME.finditer(lines[line - 1], mark):
        signed = lines[line - 1][: match.start()].endswith(b"#")  # The sign of private members belongs to their names.
        if match.start() - signed < column <= match.end() + 1:
            if _is_word_of_the_language(source, start + match.start(), start + match.end()):
                break
            return match[0].decode("utf-8", "replace"), match.start()
    raise UsageError(f"There is no name at {source.path}:{line}:{column}.", hint="Columns are bytes, counted from 1.")


def _is_word_of_the_language(source: SourceFile, start: int, end: int) -> bool:
    """Whether a word is a keyword, like `from`, rather than a name."""
    node = source.node(start, end)
    return node is not None and not node.is_named and node.start_byte == start and node.end_byte == end
