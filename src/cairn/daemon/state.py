"""What all requests of a daemon share: registry, open codebases, syncs and admission."""

import os
from collections import Counter

from cairn.base.errors import CairnError
from cairn.base.values import dataclass, field
from cairn.codebase.pool import Pool
from cairn.daemon.admission import Admission
from cairn.daemon.syncs import Syncs
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import SEARCHABLE


@dataclass(frozen=True, slots=True)
class DaemonState:
    """What all requests share."""

    registry: Registry
    pool: Pool
    syncs: Syncs
    admission: Admission
    commands: Counter[str] = field(default_factory=Counter)
    """How many commands were run here, and how many were handed back to the client."""

    def is_searchable(self, root: str) -> bool:
        """Whether a codebase can be searched after a mere sync."""
        try:
            row = self.registry.get(root)
        except CairnError:
            return False
        return row is not None and row.state in SEARCHABLE and os.path.isdir(root)
