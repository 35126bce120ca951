"""Where a Python caller stands."""

import os


class CallerAtRoot:
    """Paths of a Python caller start from the root of the codebase."""

    def __init__(self, root: str) -> None:
        self._root = root

    def at(self, path: str) -> str:
        """A path from the root on."""
        return os.path.join(self._root, path)

    def read_mode(self, *, asked_for: bool) -> str:
        """How stores are read here, in words."""
        return "direct: each request holds the readers' lock, and nothing is collected meanwhile"
