"""History as evidence: the commits whose messages are like the query, for the files that they touched."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from cairn.search import signals
from cairn.search.mergedviews import MergedViews

if TYPE_CHECKING:
    from cairn.engines import Vectors
    from cairn.search.signals import Array
    from cairn.store import Evidence, Hashes, History, SnapshotView

_SHARES = (1.0, 0.5, 0.25)
"""What the best commits of a file count."""
_SPREAD = 0.25
"""A commit of sixteen files says half as much of each."""
_LIKE, _SAME = 0.3, 0.8
"""Below the one likeness a message says nothing, from the other on it could say no more."""


def by_commits(
    view: SnapshotView | MergedViews, evidence: Evidence, hashes: Hashes, vector: Vectors | None
) -> Array | None:
    """What the last commits say of each file of the evidence, over the most that they say of any."""
    histories = view.histories if isinstance(view, MergedViews) else [view.history]
    found = np.zeros(len(evidence.places))
    own = defaultdict[int, list[int]](list)
    for index, place in enumerate(evidence.places):
        own[view.number_of(place) if isinstance(view, MergedViews) else 0].append(index)
    words = [_words(history, hashes) if history is not None else found for history in histories]
    top = max((float(each.max(initial=0.0)) for each in words), default=0.0)
    for number, history in enumerate(histories):
        if history is None or not own[number]:
            continue
        commits = history.commits_of([evidence.files[index].path_key for index in own[number]])
        touched = [(index, each) for index, each in zip(own[number], commits, strict=True) if len(each)]
        if not touched:
            continue
        used, at = np.unique(np.concatenate([each for _, each in touched]), return_inverse=True)
        worth = words[number][used] / (top or 1.0)
        if vector is not None:
            worth += np.clip((history.likeness(vector, used) - _LIKE) / (_SAME - _LIKE), 0.0, 1.0)
        worth /= np.maximum(history.touched[used], 1) ** _SPREAD
        starts = np.cumsum([0, *(len(each) for _, each in touched[:-1])])
        found[[index for index, _ in touched]] = signals.best_of(worth[at], starts, _SHARES)
    return signals.scaled(np.round(found, 9))


def _words(history: History, hashes: Hashes) -> Array:
    """How well the words of each message fit the query's."""
    frequencies = history.frequencies(hashes)
    counted = max(int(np.count_nonzero(history.touched)), 1)
    weights = [signals.inverse_frequency(int(each), counted) for each in np.count_nonzero(frequencies, axis=0)]
    average = float(history.lengths.sum(dtype=np.int64)) / counted
    found = np.zeros(len(frequencies))
    # Most messages share nothing with the query.
    some = np.flatnonzero(frequencies.any(axis=1))
    found[some] = signals.bm25(frequencies[some], history.lengths[some].astype(float), np.array(weights), average)
    return found
