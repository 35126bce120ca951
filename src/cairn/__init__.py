"""Cairn: a code index that never lies.

import cairn

with cairn.open("~/src/project") as workspace:
    for result in workspace.search("how are stale leases taken over"):
        print(result.path, result.start_line, result.symbol)

What goes wrong is raised as a CairnError: `code` tells which error it is, `hint` the step that mends it.
"""

__version__ = "0.1.0"
__all__ = [
    "CairnError",
    "Result",
    "Results",
    "SeveralResults",
    "Workspace",
    "Workspaces",
    "__version__",
    "open",
    "open_all",
]

# `typing` alone would take longer to load than a command needs that the daemon answers.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cairn.api import Result, Results, SeveralResults, Workspace, Workspaces, open_all
    from cairn.api import open_workspace as open
    from cairn.base.errors import CairnError


def __getattr__(name: str) -> "Any":
    # The command line imports this package too: what it doesn't need is loaded when it is asked for.
    if name == "CairnError":
        from cairn.base.errors import CairnError

        return CairnError
    if name in __all__:
        from cairn import api

        return api.open_workspace if name == "open" else getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
