"""Changed files read for a sync, and what went wrong with them."""

from collections.abc import Iterable, Iterator

from cairn.base.errors import CairnError, PublishRefusedError
from cairn.config.project import IndexSettings
from cairn.indexing.prepare import FileSource
from cairn.store import FileError
from cairn.store.lease import WriterLease
from cairn.workspace.detector import ChangeDetector
from cairn.workspace.eligibility import eligible_content, largest_size
from cairn.workspace.entries import FileEntry
from cairn.workspace.reads import NotRegularError, TooLargeError, read_stable
from cairn.workspace.secrets import is_private_key


class TreeReader:
    """Reads files of the tree, and keeps account of those that are gone or can't be read."""

    def __init__(
        self, detector: ChangeDetector, settings: IndexSettings, lease: WriterLease, *, allow_degraded: bool
    ) -> None:
        self._detector = detector
        self._settings = settings
        self._lease = lease
        self._allow_degraded = allow_degraded
        self.errors: list[FileError] = []
        self.gone: set[str] = set()

    def sources(self, entries: Iterable[FileEntry]) -> Iterator[FileSource]:
        """The files that are there to take in, in the order of the entries."""
        from cairn.indexing.pool import BATCH_FILES

        for number, entry in enumerate(entries):
            if number % BATCH_FILES == 0:
                # Workers embed what they are given, so this is the last moment to look.
                self._lease.check()
            source = self._read(entry)
            if source is not None:
                yield source

    def _read(self, entry: FileEntry) -> FileSource | None:
        """A file as it is now: bytes and hash from one read; None when there is nothing to take in."""
        try:
            read = read_stable(self._detector.tree, entry.raw, largest_size(self._settings))
        except (FileNotFoundError, NotADirectoryError, NotRegularError, TooLargeError):
            # Gone, or become something that doesn't count: the next scan says which.
            self.gone.add(entry.key)
            return None
        except CairnError as error:
            self.fail(FileError(error.code, error.message, entry.key))
            return None
        except OSError as error:
            self.fail(FileError("unreadable", f"{entry.key}: {error.strerror}", entry.key))
            return None
        is_new_key = read.file_hash != entry.file_hash and is_private_key(read.data)
        if is_new_key or not eligible_content(read.data, self._settings):
            # It was rewritten into something that doesn't count since the scan; the next one says why.
            self.gone.add(entry.key)
            return None
        return FileSource(entry.key, entry.language, read.file_hash, read.data)

    def fail(self, error: FileError) -> None:
        """Note a file that can't be indexed, where a degraded snapshot was allowed; else refuse to publish."""
        if not self._allow_degraded:
            raise PublishRefusedError(f"{error.path_key} can't be indexed: {error.message}")
        self.errors.append(error)
