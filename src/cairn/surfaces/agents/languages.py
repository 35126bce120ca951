"""Whether the languages of a codebase have their indexers here."""

from collections.abc import Iterator

from cairn.base.errors import CairnError
from cairn.codebase.codebase import Codebase
from cairn.codebase.indexers import indexers_at_hand
from cairn.surfaces.agents.checks import DoctorCheck, ok, warning


def check_indexers(path: str) -> Iterator[DoctorCheck]:
    """Each indexer that the languages of a codebase have; nothing for a folder that is no codebase or not indexed."""
    try:
        with Codebase(path) as codebase:
            codebase.require_readable()
            found = indexers_at_hand(codebase)
    except (CairnError, OSError):
        return  # what is wrong with a codebase, its own commands tell
    for each in found:
        spoken = ", ".join(each.languages)
        if each.program is not None:
            yield ok("indexer", f"{each.name} for {spoken} at {each.program}")
        else:
            said = f"{each.name} for {spoken} is not installed: answers and renames go by syntax alone."
            yield warning("indexer", said, f"To have more proven, {each.how}, then run `cairn refresh --wait`.")
