"""The history of commits that ranks a snapshot's files, fetched for those who ask the snapshot where it is."""

from __future__ import annotations

import os

from cairn.base import durable
from cairn.base.ulid import new_ulid
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout
from cairn.team.exchange import part_name
from cairn.team.listing import Listing, damaged
from cairn.team.parts import make_folders, unpack
from cairn.team.remote import LackingError, TeamRemote

_MOST_BYTES = 64 << 20
"""No history of Cairn's is nearly as large."""


def fetch_history(remote: TeamRemote, listing: Listing, layout: Layout) -> None:
    """Put a snapshot's history to its place in a store, whole and verified; CorruptStoreError where it can't be had."""
    ref = listing.manifest.history
    part = next((part for part in listing.parts if ref is not None and part.name == ref.path), None)
    if ref is None or part is None:
        return
    if part.digest.size_bytes > _MOST_BYTES:
        raise damaged(part.name, "it is larger than any")
    staged = Layout(os.path.join(layout.staging, new_ulid()), layout.kind)
    place, came = os.path.join(layout.path, part.name), os.path.join(staged.path, part.name)
    try:
        unpack(remote.read(part_name(part)), staged, part)
        Verifier(staged).check(part.name, part.digest)
        make_folders(layout, os.path.dirname(place))
        durable.remove(place, ignore_errors=True)
        durable.move(came, place)
    except LackingError as error:
        raise damaged(part.name, "the remote doesn't have it") from error
    finally:
        durable.remove(staged.path, ignore_errors=True)
