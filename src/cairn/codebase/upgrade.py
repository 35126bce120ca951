"""A store of a former format gives way to one of the current formats.

Rows of a former format can't be read, so the tree is indexed anew. The new store is published first and the old one
removed last: whoever dies on the way leaves both, and the next upgrade goes on from there.
"""

from typing import TYPE_CHECKING

from cairn.base.text import plural
from cairn.codebase.homestores import outdated_of, remove_one
from cairn.config.user import cairn_home
from cairn.edit.journal import copy_edits
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.envelopes import is_of_former_format
from cairn.lifecycle.gates import NonOkReason
from cairn.store.layout import open_layout
from cairn.store.store import Store, store_path

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase


def upgrade(codebase: "Codebase") -> str:
    """Bring the index of a codebase to the current formats; what was done.

    RequiresReindexError where settings have changed too: which of them are meant is the user's to say.
    """
    if codebase.tracking is None:
        return codebase.store().upgrade()
    home, verdict = cairn_home(), codebase.verdict()
    former = outdated_of(home, codebase.root_path)
    if verdict.reason is NonOkReason.REQUIRES_REINDEX and not is_of_former_format(verdict):
        codebase.tracking.require_settings()
    if former and verdict.reason is not None:
        codebase.tracking.require_idle()
        codebase.require_able()
        target = Store.create(home, codebase.identity).layout
        for store in former:
            source = open_layout(store_path(home, store.store_id))
            if source is not None:
                copy_edits(source, target)
        codebase.index(SyncOptions(reindex=True))
    else:
        codebase.tracking.require_settings()
    said = codebase.store().upgrade()
    removed = sum(remove_one(home, store.store_id)[0] for store in former)
    return f"{said} {plural(removed, 'store')} of a former format gave way to it." if removed else said
