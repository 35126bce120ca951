"""Which tracked codebase a path belongs to."""

from collections.abc import Iterable


def effective_root(path: str, roots: Iterable[str]) -> str | None:
    """The deepest tracked root that is the path or holds it; None where there is none. Both are canonical."""
    holding = [root for root in roots if path == root or path.startswith(root.rstrip("/") + "/")]
    return max(holding, key=len, default=None)
