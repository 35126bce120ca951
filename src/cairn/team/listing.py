"""What a snapshot that travels is: its manifest, and what whoever takes it in has to know beside.

A listing is one JSON document. It goes before every part that it names: what it doesn't name is not read, and of what
it names no byte counts that doesn't match the sizes and digests of the manifest in it.
"""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import CorruptStoreError, IncompatibleError, RefusedError, RequiresReindexError
from cairn.base.steps import Advice, NextStep
from cairn.base.ulid import made_ms
from cairn.base.values import as_dict, dataclass
from cairn.store import askable
from cairn.store.asked import AskableTable
from cairn.store.blocktable import MOST_DIRECTORY_BYTES
from cairn.store.flattened import FLAT
from cairn.store.identity import Identity
from cairn.store.manifest import Manifest, decode
from cairn.team.parts import SnapshotPart, parts_of

SCHEMA = "cairn_snapshot"
VERSION = 1
MOST_BYTES = 64 * 1024 * 1024
NO_SIGNATURE = bytes(32)
_MOST_TABLE_BYTES = 1 << 40
_AHEAD_MS = 24 * 3600 * 1000
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Listing:
    """A snapshot that travels, without its parts."""

    data: bytes
    """The document as it was written: what a signature is of."""
    manifest: Manifest
    manifest_bytes: bytes
    commit: str | None
    eligible: str
    """sha256 over the live files: see `store.arrived`."""
    fingerprint: str
    settings: dict[str, str]
    """What the fingerprint is made of, by names that people can compare."""
    repository: str
    tables: tuple[AskableTable, ...] = ()
    """Those of its segments, in the order of the manifest; none where the snapshot can't be asked where it is."""
    tables_version: int = 0
    """The version of what is in them; 0 where nobody said so."""

    @property
    def parts(self) -> list[SnapshotPart]:
        """All parts of the snapshot."""
        return parts_of(self.manifest)


def listing_of(
    manifest_bytes: bytes,
    *,
    commit: str | None,
    eligible: str,
    settings: dict[str, str],
    repository: str,
    tables: Sequence[AskableTable] = (),
) -> Listing:
    """The listing of a snapshot."""
    manifest = decode(manifest_bytes, "manifest.json")
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "schema_version": VERSION,
        "repository": repository,
        "commit": commit,
        "config_fingerprint": manifest.config_fingerprint,
        "settings": settings,
        "eligible": {"files": manifest.counts.files_live, "sha256": eligible},
        "manifest": manifest_bytes.decode(),
        **({"tables_version": askable.VERSION, "tables": [as_dict(table) for table in tables]} if tables else {}),
    }
    return read_listing((json.dumps(document, indent=1) + "\n").encode(), "The listing")


def read_listing(data: bytes, what: str) -> Listing:
    """A listing as it came; IncompatibleError or CorruptStoreError name what is wrong."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise damaged(what, "its listing is no JSON") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise damaged(what, "it is no snapshot of Cairn's")
    version = document.get("schema_version")
    if type(version) is not int or version < 1:
        raise damaged(what, "its listing has no version")
    if version > VERSION:
        raise IncompatibleError(
            f"{what} is of version {version}; this Cairn reads up to {VERSION}.",
            hint="Use the version of Cairn that wrote it, or a newer one.",
        )
    try:
        manifest_bytes = document["manifest"].encode()
        commit, settings = document["commit"], document["settings"]
        files, eligible = document["eligible"]["files"], document["eligible"]["sha256"]
        texts = (eligible, document["config_fingerprint"], document["repository"], *settings, *settings.values())
        tables = tuple(AskableTable(**table) for table in document.get("tables", ()))
        of_tables = document.get("tables_version", 0)
    except (KeyError, TypeError, AttributeError, UnicodeEncodeError) as error:
        raise damaged(what, "its listing lacks a field or has a wrong one") from error
    if not all(isinstance(text, str) for text in texts) or not (commit is None or _is_commit(commit)):
        raise damaged(what, "its listing has a wrong field")
    try:
        manifest = decode(manifest_bytes, "its manifest")
    except CorruptStoreError as error:
        raise damaged(what, error.message.rstrip(".")) from error
    said = (manifest.config_fingerprint, manifest.counts.files_live, manifest.git.head_sha)
    if said != (document["config_fingerprint"], files, commit):
        raise damaged(what, "its listing and its manifest differ")
    if made_ms(manifest.snapshot_id) > time.time() * 1000 + _AHEAD_MS:
        # Every later snapshot has a later id: one from the end of time leaves none.
        raise damaged(what, "its snapshot is from the future")
    if (tables and not _are_of(tables, manifest)) or type(of_tables) is not int:
        raise damaged(what, "its tables are not those of its segments")
    of = dict(settings), document["repository"]
    return Listing(data, manifest, manifest_bytes, commit, eligible, said[0], *of, tables, of_tables)


def with_tables(listing: Listing, tables: Sequence[AskableTable]) -> Listing:
    """The listing of a snapshot that can be asked where it is."""
    return listing_of(
        listing.manifest_bytes,
        commit=listing.commit,
        eligible=listing.eligible,
        settings=listing.settings,
        repository=listing.repository,
        tables=tables,
    )


def _are_of(tables: Sequence[AskableTable], manifest: Manifest) -> bool:
    fine = all(
        _SHA256.fullmatch(str(table.name))
        and _SHA256.fullmatch(str(table.digest))
        and type(table.at) is type(table.size) is int
        and 0 <= table.at < table.size <= table.at + MOST_DIRECTORY_BYTES
        and table.size <= _MOST_TABLE_BYTES
        for table in tables
    )
    return fine and [table.segment_id for table in tables] == [ref.segment_id for ref in manifest.segments]


def require_same_settings(listing: Listing, fingerprint: str, settings: dict[str, str], what: str) -> None:
    """RequiresReindexError for the snapshot of another index than the one of now."""
    if listing.fingerprint == fingerprint:
        return
    differ = sorted(name for name in {*settings, *listing.settings} if settings.get(name) != listing.settings.get(name))
    named = ", ".join(f"{name} {listing.settings.get(name, '-')} -> {settings.get(name, '-')}" for name in differ[:3])
    raise RequiresReindexError(
        f"{what} was made with other settings, grammars or another model ({named or 'of another version'}).",
        hint=Advice("Make it with the same settings and the same version of Cairn, or ", NextStep("index"), "."),
    )


def require_fit(manifest: Manifest, identity: Identity, what: str) -> None:
    """CorruptStoreError for vectors that no question of the index could be held against."""
    for ref in manifest.segments:
        if ref.dimension != identity.dimension or ref.engine not in (FLAT, identity.engine):
            raise damaged(what, "its vectors are not those of such an index")


def signature_of(data: bytes, key: bytes | None) -> bytes:
    """What somebody who has the key says of a listing; nothing where there is none."""
    return hmac.new(key, data, hashlib.sha256).digest() if key else NO_SIGNATURE


def require_signature(data: bytes, signature: bytes, key: bytes | None, what: str) -> None:
    """RefusedError where a key is at hand and the signature is not by it."""
    if key and not hmac.compare_digest(signature, signature_of(data, key)):
        said = "is not signed" if signature == NO_SIGNATURE else "is signed with another key"
        raise RefusedError(f"{what} {said}.", hint="Ask whoever made it, or take the key away to take it in unsigned.")


def damaged(what: str, said: str) -> CorruptStoreError:
    """That something which came is not what was sent."""
    return CorruptStoreError(
        f"{what} was refused: {said}.", hint="Nothing was changed: get it anew, or index the tree."
    )


def _is_commit(commit: object) -> bool:
    return isinstance(commit, str) and _COMMIT.fullmatch(commit) is not None
