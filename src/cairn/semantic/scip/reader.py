"""An index file, read one document at a time."""

from collections.abc import Iterator

from cairn.semantic.scip import decode
from cairn.semantic.scip.decode import Document, Index, Metadata, Names
from cairn.semantic.scip.wire import ScipError, file_fields, message

_METADATA, _DOCUMENTS = 1, 2


class _FileIndex:
    def __init__(self, path: str) -> None:
        self._path = path
        self._names = Names()
        self.metadata = self._metadata()

    def documents(self) -> Iterator[Document]:
        for data in self._messages(_DOCUMENTS):
            yield decode.document(data, self._names)

    def _metadata(self) -> Metadata:
        """It comes first by the format's rules; a file without it was written by something else."""
        for data in self._messages(_METADATA, only_first=True):
            return decode.metadata(data)
        raise ScipError("it doesn't begin with metadata")

    def _messages(self, wanted: int, *, only_first: bool = False) -> Iterator[bytes]:
        with open(self._path, "rb") as file:
            for number, value in file_fields(file):
                if number == wanted:
                    yield message(value)
                if only_first:
                    return


def read_index(path: str) -> Index:
    """An index file; ScipError for what is none, now or while it is read."""
    return _FileIndex(path)
