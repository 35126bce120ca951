"""How two states of a tree differ: files that are new, modified, gone or have another name."""

import hashlib
from collections import defaultdict, deque
from collections.abc import Mapping

from cairn.base.values import dataclass

_EMPTY_HASH = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Path keys in byte order; a rename is a delete and an add of one content."""

    add: tuple[str, ...] = ()
    modify: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.add or self.modify or self.delete or self.rename)


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> ChangeSet:
    """Compare two maps of path_key -> file_hash."""
    added = {key for key in after if key not in before}
    deleted = {key for key in before if key not in after}
    modified = [key for key, file_hash in after.items() if key in before and before[key] != file_hash]
    renames = _renames({key: before[key] for key in deleted}, {key: after[key] for key in added})
    added.difference_update(new for _, new in renames)
    deleted.difference_update(old for old, _ in renames)
    return ChangeSet(tuple(sorted(added)), tuple(sorted(modified)), tuple(sorted(deleted)), tuple(renames))


def _renames(deleted: Mapping[str, str], added: Mapping[str, str]) -> list[tuple[str, str]]:
    """Pair deletes and adds of equal content: same file name first, then byte order.

    Empty files are all alike, so they tell nothing about where one went.
    """
    pairs: list[tuple[str, str]] = []
    for same_name in (True, False):
        waiting: dict[tuple[str, str], deque[str]] = defaultdict(deque)
        taken_old, taken_new = {old for old, _ in pairs}, {new for _, new in pairs}
        for old in sorted(deleted.keys() - taken_old):
            waiting[deleted[old], _name(old) if same_name else ""].append(old)
        for new in sorted(added.keys() - taken_new):
            candidates = waiting.get((added[new], _name(new) if same_name else ""))
            if candidates and added[new] != _EMPTY_HASH:
                pairs.append((candidates.popleft(), new))
    return sorted(pairs)


def _name(key: str) -> str:
    return key.rpartition("/")[2]
