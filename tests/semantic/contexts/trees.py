"""Small trees, and what is found in them."""

from collections.abc import Iterable, Mapping

from cairn.languages.files import language_of
from cairn.semantic.contexts.discover import Discovery, discover
from cairn.semantic.contexts.survey import Owners
from cairn.semantic.contexts.values import Context
from cairn.syntax.trees import StoredTree
from tests.named import stored_tree

Files = Mapping[str, str]


class TextTree:
    """Files in memory, by path."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._files = files

    def paths(self) -> Iterable[str]:
        return self._files

    def read(self, path: str) -> bytes | None:
        found = self._files.get(path)
        return found.encode() if isinstance(found, str) else found

    def tree(self, path: str) -> StoredTree | None:
        data = self.read(path)
        return stored_tree(path, language_of(path), data) if data is not None else None


def found(files: Files) -> Discovery:
    return discover(TextTree(files))


def contexts(files: Files, family: str) -> dict[str, Context]:
    """The contexts of a family by root."""
    return {context.root: context for context in found(files).contexts if context.family == family}


def shown(files: Files, family: str) -> dict[str, str]:
    """Root -> what it is."""
    names = {0: "ambient", 1: "workspace", 2: "package"}
    return {
        root or ".": "detached" if context.detached else names[context.tier]
        for root, context in contexts(files, family).items()
    }


def owners(files: Files) -> dict[str, str | None]:
    """Path -> the id of its owner."""
    known = Owners(found(files).contexts)
    return {path: owner.id if (owner := known.owner_of(path)) is not None else None for path in files}
