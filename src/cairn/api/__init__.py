"""The Python interface: open a tree or several, ask them, close them."""

from cairn.api.results import Result, Results, SeveralResults
from cairn.api.together import Workspaces, open_all
from cairn.api.workspaces import Workspace, open_workspace

__all__ = ["Result", "Results", "SeveralResults", "Workspace", "Workspaces", "open_all", "open_workspace"]
