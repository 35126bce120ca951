"""Texts as bags of tokens, packed into three arrays, and batches of them as small dense matrices."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cairn.kernel.wordpiece import WordPieces

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bags:
    """Row i holds `tokens[offsets[i]:offsets[i + 1]]`, each as often as `counts` says."""

    tokens: Numbers
    counts: Floats
    offsets: Numbers

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def sizes(self) -> Numbers:
        return np.diff(self.offsets)

    def flat(self, rows: Numbers) -> tuple[Numbers, Numbers, Floats]:
        """Of some rows: the place of the row, the token and the count, one entry per token in a row."""
        sizes = self.offsets[rows + 1] - self.offsets[rows]
        ends = np.cumsum(sizes)
        at = np.arange(int(sizes.sum())) + np.repeat(self.offsets[rows] - (ends - sizes), sizes)
        return np.repeat(np.arange(len(rows)), sizes), self.tokens[at], self.counts[at]


def pack(texts: Iterable[str], pieces: WordPieces) -> Bags:
    """The bags of texts."""
    tokens: list[int] = []
    counts: list[int] = []
    offsets = [0]
    for text in texts:
        bag = Counter(pieces.encode(text))
        tokens += bag.keys()
        counts += bag.values()
        offsets.append(len(tokens))
    return Bags(np.array(tokens, np.int64), np.array(counts, np.float32), np.array(offsets, np.int64))


def sum_of(bags: Bags, tokens: int) -> npt.NDArray[np.float64]:
    """How often each token occurs in all bags together."""
    return np.asarray(np.bincount(bags.tokens, weights=bags.counts, minlength=tokens), np.float64)


def matrix(bags: Bags, rows: Numbers, keep: npt.NDArray[np.bool_] | None = None) -> tuple[Floats, Numbers]:
    """Counts of some rows by the tokens that occur in them, and which tokens those are."""
    places, tokens, counts = bags.flat(rows)
    if keep is not None:
        counts = counts * keep
    used, columns = np.unique(tokens, return_inverse=True)
    dense = np.zeros((len(rows), len(used)), np.float32)
    # A token stands once in a bag, so nothing is written twice.
    dense[places, columns] = counts
    return dense, used
