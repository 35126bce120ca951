"""What a scanner learnt, kept for the next process: outcomes of files under the stamps they stand for.

It spares reading, never looking: every file's stamp is compared as if the scanner had been kept.
Whoever can write this memory can make a change go unseen, so it belongs where only the user writes.
"""

import hashlib
import json
from collections.abc import Iterable

from cairn.workspace.eligibility import Reason, Skip
from cairn.workspace.entries import FileEntry
from cairn.workspace.pathkey import display
from cairn.workspace.reads import Stamp

Outcome = tuple[Stamp | None, FileEntry | Skip]
_FORMAT = "cairn-scan-1"


def encode(outcomes: Iterable[tuple[str, Outcome]]) -> bytes:
    """Outcomes that may be trusted, behind a checksum of themselves."""
    rows = []
    for raw, (stamp, outcome) in outcomes:
        if stamp is None:
            continue
        if isinstance(outcome, Skip):
            rows.append([raw, *stamp, outcome.reason.value, outcome.detail])
        elif not outcome.namespace and outcome.raw == outcome.target:
            rows.append([raw, *stamp, outcome.file_hash, outcome.head_sum, outcome.language, outcome.key])
    body = json.dumps(rows, separators=(",", ":")).encode()
    return f"{_FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body


def decode(data: bytes) -> dict[str, Outcome]:
    """What was kept; nothing when it is damaged or of another format."""
    head, _, body = data.partition(b"\n")
    if head != f"{_FORMAT} {hashlib.sha256(body).hexdigest()}".encode():
        return {}
    found: dict[str, Outcome] = {}
    for raw, mtime, ctime, size, inode, *rest in json.loads(body):
        stamp = (mtime, ctime, size, inode)
        if len(rest) == 2:
            found[raw] = stamp, Skip(display(raw), Reason(rest[0]), rest[1])
        else:
            file_hash, head_sum, language, key = rest
            found[raw] = stamp, FileEntry(key, raw, raw, stamp, file_hash, head_sum, language)
    return found
