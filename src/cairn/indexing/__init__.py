"""From a ChangeSet to a published snapshot."""

from typing import TYPE_CHECKING

from cairn.base import lazy

if TYPE_CHECKING:
    from cairn.indexing.options import SyncOptions, SyncResult
    from cairn.indexing.repair import RepairResult
    from cairn.indexing.terms import terms_of
else:
    __getattr__ = lazy.exports(
        __name__, {"options": "SyncOptions SyncResult", "repair": "RepairResult", "terms": "terms_of"}
    )

__all__ = ["RepairResult", "SyncOptions", "SyncResult", "terms_of"]
