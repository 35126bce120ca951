"""How files of a codebase are named: from where somebody stands, in full, or by links."""

import os

from cairn.workspace.livefiles import real_key


class TreeNames:
    """Names in the tree as it is on disk."""

    def __init__(self, root: str) -> None:
        self.root = root

    def key(self, path: str) -> str:
        """The key of a file that is named in full or from the root on, by its own name or by that of a link."""
        return real_key(self.root, path)

    def exists(self, path: str) -> bool:
        """Whether something is there by this name."""
        return os.path.lexists(path)

    def inside(self, path: str) -> str | None:
        """Where a file or folder really is, from the root on; None where there is none."""
        return os.path.relpath(os.path.realpath(path), self.root) if os.path.exists(path) else None

    def is_folder(self, path: str) -> bool:
        """Whether it is a folder."""
        return os.path.isdir(path)

    def beneath(self, path: str) -> str:
        """A path by its real folders; beneath the root as it is named: links have names of their own in the index."""
        *folders, name = path.split("/")
        real = os.path.join(os.path.realpath("/".join(folders) or "/"), name)
        if real.startswith(f"{self.root.rstrip('/')}/"):
            for end in range(1, len(folders) + 1):
                if os.path.realpath("/".join(folders[:end]) or "/") == self.root:
                    return "/".join((self.root.rstrip("/"), *folders[end:], name))
        return real
