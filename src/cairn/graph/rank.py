"""Which files matter most: PageRank over who leans on whom."""

from collections.abc import Iterable, Mapping

_DAMPING = 0.85
_ROUNDS = 40
_DIGITS = 9


def page_ranks(paths: Iterable[str], links: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """The share of attention that each file gets; all shares together are 1."""
    import numpy as np

    ordered = sorted(set(paths))
    if not ordered:
        return {}
    place = {path: at for at, path in enumerate(ordered)}
    # Sums must not depend on the order in which links were found.
    kept = sorted((place[user], place[owner], weight) for (user, owner), weight in links.items())
    sources = np.array([source for source, _, _ in kept], dtype=np.int64)
    targets = np.array([target for _, target, _ in kept], dtype=np.int64)
    weights = np.array([weight for _, _, weight in kept], dtype=np.float64)
    size = len(ordered)
    given = np.bincount(sources, weights, size) if len(kept) else np.zeros(size)
    shares = weights / given[sources] if len(kept) else weights
    ranks = np.full(size, 1.0 / size)
    for _ in range(_ROUNDS):
        passed = np.bincount(targets, ranks[sources] * shares, size) if len(kept) else np.zeros(size)
        # Who uses nobody gives its share to all.
        idle = float(ranks[given == 0].sum())
        ranks = (1 - _DAMPING) / size + _DAMPING * (passed + idle / size)
    return dict(zip(ordered, np.round(ranks, _DIGITS).tolist(), strict=True))
