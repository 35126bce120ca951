"""A codebase as an editor shows it: what is not saved yet lies over the snapshot, beneath every question.

The texts become a segment of a folder of their own, made by the same parsers, and the view of the snapshot is given it
as its newest one; what is read of the tree is read from them first. So no question knows of it, all of them tell the
truth of what the editor shows, and nothing of it comes into the store or into anybody else's answers.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from cairn.base.errors import CairnError, NotIndexedError, RefusedError
from cairn.codebase.codebase import Codebase
from cairn.codebase.names import NOTHING_UNSAVED
from cairn.codebase.pool import Pool
from cairn.config.user import cairn_home
from cairn.syntax import language_of
from cairn.workspace.eligibility import Skip, SkipReason, content_reason, largest_size, size_reason
from cairn.workspace.livefiles import real_key
from cairn.workspace.newfiles import says_what_counts, would_count
from cairn.workspace.reads import HEAD_BYTES, FileRead, read_of
from cairn.workspace.secrets import is_private_key
from cairn.workspace.unread import unread_code

if TYPE_CHECKING:
    from cairn.codebase.answers import RelatedRequest, Request
    from cairn.codebase.bodies import Answer, Found
    from cairn.codebase.names import UnsavedNames
    from cairn.config.project import IndexSettings
    from cairn.embed import Embedder
    from cairn.engines import Vectors
    from cairn.indexing.options import SyncOptions, SyncResult
    from cairn.indexing.prepare import Prepared
    from cairn.indexing.progress import Progress
    from cairn.search import SearchHit
    from cairn.store import FileRow, SnapshotView
    from cairn.store.layer import Layer
    from cairn.store.scratch import Scratch

_MOST_IDLE = 2
_MOST_KNOWN = 32
"""Texts of which it is remembered what the index makes of them."""
Texts = Mapping[str, bytes]
"""What files would hold if saved, by their paths: with the byte order mark that an editor keeps to itself.
A text that hasn't changed is the same object."""


class ParsedTexts:
    """What the index makes of texts, each made once: questions come side by side, and ask of the same ones."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: dict[object, Prepared] = {}

    def prepare(self, texts: Mapping[str, FileRead], settings: IndexSettings) -> list[Prepared]:
        """Some texts by their keys, ready for a segment."""
        from cairn.indexing.pool import ParserPool
        from cairn.indexing.prepare import ChunkLimits, FileSource
        from cairn.indexing.writing import load

        limits = ChunkLimits(settings.chunk_bytes, settings.max_chunks_per_file)
        wanted = {(key, read.file_hash, limits): read for key, read in texts.items()}
        with self._guard:
            sources = [
                FileSource(key, language_of(key, read.data[:HEAD_BYTES]), file_hash, read.data)
                for (key, file_hash, _), read in wanted.items()
                if (key, file_hash, limits) not in self._known
            ]
            if sources:
                load(each.language for each in sources)
                with ParserPool(limits, 1, None) as pool:
                    made = {(each.file.path_key, each.file.file_hash, limits): each for each in pool.prepare(sources)}
                # Nobody asks again of a text that was typed over.
                gone = {key for key in self._known if len(self._known) >= _MOST_KNOWN and key not in wanted}
                self._known = {key: each for key, each in self._known.items() if key not in gone} | made
            return [self._known[key] for key in wanted]


class Overlaid(Codebase):
    """A codebase with the texts of an editor over it; for one question at a time."""

    def __init__(self, path: str, *, embedder: Embedder | None = None, parsed: ParsedTexts | None = None) -> None:
        super().__init__(path, embedder=embedder)
        self._parsed = parsed or ParsedTexts()
        self.texts: Texts = {}
        """What is laid over the next view."""
        self._embeds = False
        self._read: dict[str, tuple[bytes, str, FileRead]] = {}
        """Of each path the text that was seen last, its key, and what stands for a read of it."""
        self._snapshot = ""
        self._counts: dict[str, bool] = {}
        """Which files count that the snapshot doesn't have."""
        self._made: tuple[object, bool, Layer] | None = None

    def view(self, snapshot_id: str | None = None) -> SnapshotView:
        """The snapshot with the texts over it; a former one is as it was."""
        view = super().view(snapshot_id)
        if snapshot_id is None and self.texts:
            try:
                self._lay_over(view)
            except BaseException:
                view.close()
                raise
        return view

    def index(
        self, options: SyncOptions | None = None, progress: Progress | None = None, *, create: bool = True
    ) -> SyncResult:
        """Bring the index up to date with what is saved, and with nothing else."""
        over, self.detector.tree.over = self.detector.tree.over, {}
        try:
            return super().index(options, progress, create=create)
        finally:
            self.detector.tree.over = over

    def require_answering(self) -> None:
        """RefusedError: this is asked before files are written, and who has their newest texts writes them."""
        raise RefusedError(
            "Files that lie open in an editor are written by it.", hint="Save them, then ask for the edit again."
        )

    def search(
        self, request: Request, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[SearchHit]]:
        """The only question but the next that asks for vectors: they are made for it alone."""
        with self._embedding():
            return super().search(request, synced=synced, snapshot_id=snapshot_id)

    def related(
        self, request: RelatedRequest, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[SearchHit]]:
        """Places in other files that are like one, which may be one that is not saved yet."""
        with self._embedding():
            return super().related(request, synced=synced, snapshot_id=snapshot_id)

    def differs(self) -> bool:
        """Whether any of the texts is another one than the snapshot has."""
        with super().view() as view:
            different = bool(self._different(view))
        if not different:
            self._drop()
        return different

    def names(self) -> UnsavedNames:
        """The files that are laid over the snapshot, and what they define."""
        with self.view() as view:
            paths = view.unsaved
            said = view.facts.names_of(paths) if paths else {}
        defined = ((path, symbol) for path, (_, symbols, _) in said.items() for symbol in symbols)
        return frozenset(paths), [
            (path, symbol.name, symbol.kind, symbol.container, symbol.name_line) for path, symbol in defined
        ]

    def close(self) -> None:
        """Leave nothing of the texts."""
        super().close()
        self._drop()
        if "_folder" in self.__dict__:
            self._folder.remove()

    @cached_property
    def _folder(self) -> Scratch:
        from cairn.store.scratch import Scratch

        return Scratch("cairn-unsaved-")

    def _drop(self) -> None:
        if self._made is not None:
            self._made[2].remove()
            self._made = None

    @contextlib.contextmanager
    def _embedding(self) -> Iterator[None]:
        self._embeds = True
        try:
            yield
        finally:
            self._embeds = False

    def _lay_over(self, view: SnapshotView) -> None:
        from cairn.store.layer import LaidFile, Layer

        different = self._different(view)
        if not different:
            return
        state = view.snapshot_id, tuple((key, read.file_hash) for key, (read, _) in different.items())
        if self._made is None or self._made[0] != state or (self._embeds and not self._made[1]):
            left_out = self._left_out(different)
            texts = {key: read for key, (read, _) in different.items() if key not in left_out}
            files = self._parsed.prepare(texts, self.detector.config.index)
            made = Layer(
                self._folder.path,
                [
                    LaidFile(each.packed, each.terms, vectors, each.grams)
                    for each, vectors in zip(files, self._vectors(files), strict=True)
                ],
                {key: row for key, (_, row) in different.items()},
                self.identity.dimension,
                unread_code(left_out.values()),
            )
            self._drop()
            self._made = state, self._embeds, made
        view.lay(self._made[2])

    def _different(self, view: SnapshotView) -> dict[str, tuple[FileRead, FileRow | None]]:
        """The texts that the snapshot has otherwise or not at all, by their keys in order; all are read first now."""
        if self._snapshot != view.snapshot_id:
            self._snapshot, self._counts = view.snapshot_id, {}
        over: dict[str, FileRead] = {}
        different: dict[str, tuple[FileRead, FileRow | None]] = {}
        for key, read in sorted(self._beneath().items()):
            row = view.rows.file(key)
            if says_what_counts(key) or (row is None and not self._would_count(key)):
                continue
            over[key] = read
            if row is None or row.file_hash != read.file_hash:
                different[key] = read, row
        self.detector.tree.over = over
        return different

    def _beneath(self) -> dict[str, FileRead]:
        """The texts of files beneath the root, by their keys."""
        read = {}
        for path, text in self.texts.items():
            known = self._read.get(path)
            if known is None or known[0] is not text:
                key = known[1] if known is not None else self._key_of(path)
                known = text, key, read_of(text)
            read[path] = known
        self._read = read
        return {key: found for _, key, found in read.values() if key}

    def _key_of(self, path: str) -> str:
        """The key of a file by whatever name; empty for one that lies elsewhere."""
        folder, name = os.path.split(path)
        try:
            return real_key(self.root.path, os.path.join(os.path.realpath(folder), name))
        except (CairnError, OSError):
            return ""

    def _would_count(self, key: str) -> bool:
        found = self._counts.get(key)
        if found is None:
            settings = self.detector.config.index
            found = settings.includes_untracked(shared=self.shared_store is not None) and would_count(
                self.detector.tree, key, settings, cairn_home()
            )
            self._counts[key] = found
        return found

    def _left_out(self, texts: Mapping[str, tuple[FileRead, object]]) -> dict[str, Skip]:
        """The texts that no index would take in, each with the reason."""
        settings = self.detector.config.index
        reasons = {key: _reason(read.data, settings) for key, (read, _) in texts.items()}
        return {key: Skip(key, reason) for key, reason in reasons.items() if reason is not None}

    def _vectors(self, files: list[Prepared]) -> list[Vectors]:
        """Vectors where a question asks for them; nothing of them is kept for anybody else."""
        import numpy as np

        from cairn.embed.cached import CachedEmbedder
        from cairn.indexing.vectors import vectors_of

        if self._embeds:
            return vectors_of(files, CachedEmbedder(self.model))
        return [np.zeros((each.file.chunks, self.identity.dimension), dtype=np.float32) for each in files]


def _reason(data: bytes, settings: IndexSettings) -> SkipReason | None:
    """Why no index would take in a text, if that is so."""
    if len(data) > largest_size(settings):
        return size_reason(len(data), settings)
    return SkipReason.SECRET if is_private_key(data) else content_reason(data)


class Overlay:
    """The codebases of one home with the texts of an editor over them."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._pool = Pool(home, most_idle=_MOST_IDLE, kind=partial(Overlaid, parsed=ParsedTexts()))
        self._folders: dict[str, str] = {}
        self._laid: set[str] = set()
        """The roots that something was laid over."""

    @contextlib.contextmanager
    def using(self, root: str, texts: Texts) -> Iterator[Codebase]:
        """The codebase of a root with some texts over it, for one question."""
        with self._pool.using(root) as codebase:
            assert isinstance(codebase, Overlaid)
            codebase.texts = texts
            self._laid.add(root)
            yield codebase

    def is_needed(self, root: str, texts: Texts) -> bool:
        """Whether anything that the editor shows of a root differs from its snapshot: else anybody may answer."""
        if not any(self._is_beneath(root, path) for path in texts):
            if root in self._laid:
                self._laid.discard(root)
                self._pool.drop(root)
            return False
        try:
            with self.using(root, texts) as codebase:
                assert isinstance(codebase, Overlaid)
                return codebase.differs()
        except NotIndexedError:
            return False

    def names(self, root: str, texts: Texts) -> UnsavedNames:
        """What the editor shows defined, in files that it shows otherwise than the snapshot."""
        if not texts or not self.is_needed(root, texts):
            return NOTHING_UNSAVED
        with self.using(root, texts) as codebase:
            assert isinstance(codebase, Overlaid)
            return codebase.names()

    def _is_beneath(self, root: str, path: str) -> bool:
        folder = os.path.dirname(path)
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(folder)
        return f"{real}/".startswith(f"{root.rstrip('/')}/")

    def close(self) -> None:
        """Close what is open, and leave nothing of the texts."""
        self._pool.close()
