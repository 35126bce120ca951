"""A codebase as a snapshot at a remote has it, asked where it is: by a machine that holds no index of it.

Of the snapshot only the list of its files is here, and what questions have read so far, up to a bound. What differs in
the work tree is indexed for the question and laid over it, so that an answer is about the tree as it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from cairn.base import durable
from cairn.base.errors import CairnError, CorruptStoreError, NotIndexedError, RefusedError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import replace
from cairn.codebase import teamwork, upkeep
from cairn.codebase.answers import Now
from cairn.codebase.codebase import Codebase
from cairn.codebase.overlay import ParsedTexts
from cairn.config.user import cairn_home
from cairn.embed.cached import CachedEmbedder
from cairn.engines.kept import KeptVectors
from cairn.indexing.vectors import vectors_of
from cairn.store import former
from cairn.store.asked import AskedShelf, bytes_to_hold, forget_others, is_here, make_asked
from cairn.store.breaker import asking
from cairn.store.inventory import stores_in
from cairn.store.layer import LaidFile, Layer
from cairn.store.layout import StoreKind, create_layout
from cairn.store.scratch import Scratch
from cairn.store.used import touch_last_used
from cairn.store.view import SnapshotView
from cairn.team.arrival import is_key
from cairn.team.exchange import nearest_askable
from cairn.team.listing import require_fit
from cairn.team.past import fetch_history
from cairn.team.patience import hurried
from cairn.team.settings import signing_key, team_settings
from cairn.team.tables import KEPT_BYTES, RemoteBlocks, fetch_tombstones, read_directory
from cairn.workspace.detector import Baseline
from cairn.workspace.livefiles import read_now

if TYPE_CHECKING:
    from cairn.codebase.answers import Request
    from cairn.codebase.bodies import Answer, Found
    from cairn.indexing.options import SyncOptions, SyncResult
    from cairn.indexing.progress import Progress
    from cairn.search import Query, SearchHit
    from cairn.store import FileRow
    from cairn.team.listing import Listing
    from cairn.team.remote import TeamRemote

FOLDER = "asked"
"""The folder of a home with what is here of snapshots that are asked elsewhere."""
_LOOK_AGAIN_S = 10.0
_KEPT_VECTORS = 48 << 20
_MOST_STORES = 4
_ASK_LATER = "Nothing was changed: ask again then, or leave the remote out to ask an index of this machine."
_PUSH_AGAIN = Advice(
    "Nothing was changed: ", NextStep("push_askable_again"), " where it was pushed from, or index the tree here."
)
_LISTING_ANSWERS = 3
"""How many times the time of one answer a question waits until it knows which snapshot answers."""
_MOST_CHANGED = 1_500
"""Where more files differ, an index is the quicker answer."""


@contextlib.contextmanager
def at_remote(codebase: Codebase, name: str) -> Iterator[RemoteCodebase]:
    """The codebase as a remote of the user's has it, for one question."""
    known = codebase.elsewhere.get(name)
    if isinstance(known, RemoteCodebase):
        known.refresh()
        if known.stands():
            yield known
            return
        known.close()
    remote = codebase.elsewhere[name] = RemoteCodebase(codebase, name)
    yield remote


class RemoteCodebase(Codebase):
    """One root, answered from the nearest snapshot that can be asked at a remote."""

    def __init__(self, base: Codebase, name: str) -> None:
        super().__init__(base.root_path, embedder=base.model)
        self.tracking = None
        self.name = name
        self._remote = teamwork.remote_named(name)
        key = f"{self._remote.address}\n{self.identity.config_fingerprint}\n{self.root_path}"
        self._place = os.path.join(cairn_home(), FOLDER, hashlib.sha256(key.encode()).hexdigest()[:32])
        self._layout = create_layout(self._place, StoreKind.PRIVATE)
        touch_last_used(self._layout)
        _make_room(self._place)
        upkeep.recall(self._layout, self.detector)
        self._blocks = RemoteBlocks(self._remote, self._layout)
        self._asked = AskedShelf(self._blocks, KeptVectors(self._place, _KEPT_VECTORS))
        self._fingerprint = self.identity.config_fingerprint
        self._listing: Listing | None = None
        self._looked: tuple[float, str | None] = (-_LOOK_AGAIN_S, None)
        """When the remote was looked at, and for which commit."""
        self._answering: Listing | None = None
        """What answers the question that is being asked, whatever the remote has meanwhile."""
        self._past: tuple[Listing, str] | None = None
        """For which listing the history of commits was asked for, and why it could not be had."""
        self._laid: tuple[object, Layer] | None = None
        self._scratch: Scratch | None = None
        self.laid_over = 0
        """How many files of the work tree stand in the place of those of the snapshot."""

    def stands(self) -> bool:
        """Whether it is still what the user's settings name."""
        return (
            self._fingerprint == self.identity.config_fingerprint
            and team_settings().addresses.get(self.name) == self._remote.address
        )

    def look(self) -> Listing:
        """The snapshot that answers; the next question looks for it again where HEAD has moved, or time has passed."""
        if self._answering is not None:
            return self._answering
        git, (at, head) = self.detector.git, self._looked
        now = time.monotonic(), git.head() if git is not None else None
        if self._listing is None or now[0] - at > _LOOK_AGAIN_S or now[1] != head:
            with _pushed_anew():
                found = nearest_askable(self._hurried(), git, self._fingerprint, signing_key())
            if found is None:
                raise NotIndexedError(
                    f"The remote {self._remote.address} has no snapshot of this history and these settings that can be "
                    "asked there.",
                    hint=Advice(NextStep("push_askable"), ", or ", NextStep("index"), "."),
                )
            with _pushed_anew():
                require_fit(found.manifest, self.identity, f"The snapshot of {(found.commit or '')[:10]}")
            self._listing, self._looked = found, now
        return self._listing

    def _hurried(self) -> TeamRemote:
        """The remote as it is asked for its listing: one that says nothing keeps a question waiting for no minute."""
        return hurried(self._remote, _LISTING_ANSWERS * team_settings().timeout_s)

    def view(self, snapshot_id: str | None = None) -> SnapshotView:
        """The snapshot with the changed files of the work tree over it."""
        if snapshot_id is None and (held := self._pin.taken(admitted=True)) is not None:
            return held
        return self._view_of(self.look(), snapshot_id)

    def _view_of(self, listing: Listing, snapshot_id: str | None) -> SnapshotView:
        if snapshot_id not in (None, listing.manifest.snapshot_id):
            raise NotIndexedError("At a remote there are no former pages.", hint="Ask from the first page on.")
        view = self._opened(listing)
        try:
            self._lay_over(view, listing)
        except BaseException:
            view.close()
            raise
        return view

    def search(
        self, request: Request, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[SearchHit]]:
        """Ask the snapshot, with all that the question asks first fetched at once."""
        query, before = self._searches.meant(request), self._blocks.travelled
        # One that gave no answer isn't waited for again at once.
        with asking(self._layout, sooner="", hint=_ASK_LATER):
            listing = self._answering = self.look()
            try:
                answer = self._answered(request, query, listing, snapshot_id)
            finally:
                self._answering = None
                self.release()
        travelled = self._blocks.travelled
        own = {
            "checked": "tree" if self._has_tree else "remote",
            "remote": self.name,
            "remote_commit": listing.commit,
            "laid_over": self.laid_over,
            "requests": travelled.requests - before.requests,
            "fetched_bytes": travelled.size_bytes - before.size_bytes,
        }
        # What is lost there is not mended here.
        notes = (
            replace(note, fields={**note.fields, "remote": self.name}) if note.code == "history_lost" else note
            for note in answer.notes
        )
        return replace(answer, root=self.root_path, notes=tuple(notes), freshness={**answer.freshness, **own})

    def _answered(
        self, request: Request, query: Query, listing: Listing, snapshot_id: str | None
    ) -> Answer[Found[SearchHit]]:
        with contextlib.ExitStack() as stack:
            view = stack.enter_context(self._view_of(listing, snapshot_id))
            self._asked.expect(query.terms, query.names, with_vectors=True)
            stack.pop_all()
            self._pin.hold(view, admitted=True)
        return super().search(request)

    def index(
        self, options: SyncOptions | None = None, progress: Progress | None = None, *, create: bool = True
    ) -> SyncResult:
        """RefusedError: nothing is made of what is asked elsewhere."""
        raise RefusedError("A snapshot at a remote is asked as it is.", hint="Leave the remote out to index the tree.")

    def is_indexed(self) -> bool:
        return True

    def now(self) -> Now:
        """The tree as it is; without a commit of one's own there is none, and the snapshot is all there is."""
        if self._has_tree:
            return super().now()
        return Now(self._then)

    def _then(self, paths: Iterable[str]) -> dict[str, str | None]:
        """The hashes of files in the snapshot, which has no tree beside it."""
        with self.view() as view:
            found = {path: view.rows.file(path) for path in paths}
        return {path: file.file_hash if file is not None else None for path, file in found.items()}

    def close(self) -> None:
        """Leave nothing of what was laid over the snapshot."""
        super().close()
        self._asked.clear()
        if self._scratch is not None:
            self._scratch.remove()

    @property
    def _has_tree(self) -> bool:
        git = self.detector.git
        return git is not None and git.head() is not None

    def _opened(self, listing: Listing) -> SnapshotView:
        manifest = listing.manifest
        self._blocks.budget = KEPT_BYTES + bytes_to_hold(manifest)
        if not is_here(self._layout, manifest, listing.tables):
            self._fetch(listing)
        open_view = partial(SnapshotView, self._layout, snapshot_id=manifest.snapshot_id, shelf=self._asked)
        try:
            return self._with_past(listing, open_view)
        except (CorruptStoreError, OSError):
            # What is here is no more than a copy.
            durable.remove(self._layout.snapshot(manifest.snapshot_id), ignore_errors=True)
            for ref in manifest.segments:
                durable.remove(self._layout.segment(ref.segment_id), ignore_errors=True)
            self._fetch(listing)
            return self._with_past(listing, open_view)

    def _with_past(self, listing: Listing, open_view: Callable[[], SnapshotView]) -> SnapshotView:
        """A view with the history of commits, fetched where it isn't here; one that says why it has none."""
        view = open_view()
        if view.history_lost and (self._past is None or self._past[0] is not listing):
            view.close()
            self._past = listing, self._fetch_past(listing)
            view = open_view()
        if view.history_lost and self._past is not None and self._past[1]:
            view.history_lost = self._past[1]
        return view

    def _fetch_past(self, listing: Listing) -> str:
        try:
            fetch_history(self._remote, listing, self._layout)
        except CorruptStoreError as error:
            return error.message
        except OSError as error:
            return f"It can't be kept here: {error.strerror}."
        return ""

    def _fetch(self, listing: Listing) -> None:
        layout = self._layout
        with _pushed_anew():
            fetch_tombstones(self._remote, listing, layout)
            directory_of = partial(read_directory, self._remote)
            make_asked(layout, listing.manifest, listing.tables, directory_of, self._blocks, is_key)
        forget_others(layout, listing.manifest)

    def _lay_over(self, view: SnapshotView, listing: Listing) -> None:
        """Index what differs in the work tree, and hide what the snapshot has of it."""
        if not self._has_tree:
            return
        contents = {path: file_hash for path, file_hash, _ in view.rows.contents()}
        found = self.detector.detect(Baseline(contents, listing.commit))
        upkeep.memorise(self._layout, self.detector, found.walked)
        changes = found.changes
        gone = {*changes.delete, *changes.modify, *(old for old, _ in changes.rename)}
        here = {entry.key: entry.file_hash for entry in found.entries}
        self.laid_over = len(gone | here.keys())
        if not self.laid_over:
            return
        if self.laid_over > _MOST_CHANGED:
            raise RefusedError(
                f"{self.laid_over:,} files of the tree differ from the nearest snapshot that can be asked there.",
                hint=Advice(NextStep("index"), ", which starts from what the remote has."),
            )
        state = view.snapshot_id, frozenset(gone), frozenset(here.items())
        if self._laid is None or self._laid[0] != state:
            layer = self._layer(here, {key: view.rows.file(key) for key in gone | here.keys()})
            if self._laid is not None:
                self._laid[1].remove()
            self._laid = state, layer
        view.lay(self._laid[1])
        # They are saved, and the snapshot is what is behind.
        view.unsaved = ()

    def _layer(self, here: Iterable[str], hidden: Mapping[str, FileRow | None]) -> Layer:
        texts = {}
        for key in sorted(here):
            # What is gone meanwhile is not there for the answer either.
            with contextlib.suppress(OSError, CairnError):
                texts[key] = read_now(self.detector.tree, key)
        prepared = ParsedTexts().prepare(texts, self.detector.config.index)
        vectors = vectors_of(prepared, CachedEmbedder(self.model))
        files = [
            LaidFile(each.packed, each.terms, own, each.grams) for each, own in zip(prepared, vectors, strict=True)
        ]
        if self._scratch is None:
            self._scratch = Scratch("cairn-laid-")
        return Layer(self._scratch.path, files, hidden, self.identity.dimension)


@contextlib.contextmanager
def _pushed_anew() -> Iterator[None]:
    """Around what reads of a snapshot at a remote: what is damaged there is mended by whoever pushed it."""
    try:
        yield
    except CorruptStoreError as error:
        if "push" not in str(error.hint):
            error.hint = _PUSH_AGAIN
        raise


def _make_room(kept: str) -> None:
    """Keep what was asked last; what somebody reads goes another time."""
    others = [path for path in stores_in(os.path.dirname(kept)) if path != kept]
    for path in others[_MOST_STORES - 1 :]:
        former.removed(cairn_home(), path)
