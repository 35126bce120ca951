"""From text to a vector: words are split where their case changes, then into known pieces, whose rows are added.

The same result as the model's own tokenizer file under the `tokenizers` library (a test holds the
two against each other), at a quarter of its CPU time on code and without loading it: code repeats
its identifiers, so the pieces of each are looked up once and remembered.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from cairn.base import lazy
from cairn.kernel.characters import described
from cairn.kernel.core import core
from cairn.kernel.runs import Remembered, runs

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

MAX_CHARS = 20_000
"""Only the start of a longer text counts: a chunk is far shorter, and work per text stays bounded."""
MAX_WORD_CHARS = 40
"""A longer word is noise (hashes, encoded data) and has no tokens; the model was trained that way."""
NUMBER = "q"
"""The type of token numbers: what numpy takes rows by without a conversion."""

_CASE_CHANGE = lazy.expression(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = lazy.expression(r"[^\W_]+")


class WordPieces:
    """A vocabulary that splits texts into tokens; pieces that continue a word start with `##`."""

    def __init__(self, vocabulary: Mapping[str, int], skipped: Iterable[int] = ()) -> None:
        self.vocabulary = vocabulary
        self.skipped = frozenset(skipped)
        self._of_word = Remembered(self._find).__getitem__
        self._of_run = Remembered(self._split).__getitem__

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text, in order; words without pieces have none."""
        return array(NUMBER, self.packed(text)).tolist()

    def packed(self, text: str) -> bytes:
        """The token numbers of a text as an array of `NUMBER` has them in memory."""
        return b"".join(map(self._of_run, runs(text[:MAX_CHARS])))

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset("".join(self.vocabulary))

    def _split(self, run: str) -> bytes:
        if run.isascii() and run.islower() and "_" not in run:
            return self._find(run)
        return b"".join(map(self._of_word, _words(run)))

    def _find(self, word: str) -> bytes:
        """The longest known piece, again and again; none at all when a rest is unknown."""
        if len(word) > MAX_WORD_CHARS or not (word.isascii() or self._letters.issuperset(word)):
            return b""
        number = self.vocabulary.get
        pieces: list[int] = []
        rest, mark = word, 0
        while len(rest) > mark:
            for end in range(len(rest), mark, -1):
                found = number(rest[:end])
                if found is not None:
                    pieces.append(found)
                    rest, mark = "##" + rest[end:], 2
                    break
            else:
                return b""
        return array(NUMBER, [piece for piece in pieces if piece not in self.skipped]).tobytes()


class PieceSums(Protocol):
    """A vocabulary with a row of numbers for each of its pieces."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One unit vector a text: the sum over its pieces; the zero vector for a text without any."""


def piece_sums(words: WordPieces, table: npt.NDArray[np.int8], scale: npt.NDArray[np.float32]) -> PieceSums:
    """The sums over the rows of a table, each times its scale, by the kernel that answers."""
    native = core()
    return ReferenceSums(words, table, scale) if native is None else NativeSums(native, words, table, scale)


class ReferenceSums:
    """The sums as the reference makes them; a table of products takes four times the memory and halves the time."""

    def __init__(self, words: WordPieces, table: npt.NDArray[np.int8], scale: npt.NDArray[np.float32]) -> None:
        self._words = words
        self._table = table.astype(np.float32)
        self._table *= scale[:, None]

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return summed(texts, self._words, self._table.shape[1], lambda tokens: self._table.take(tokens, axis=0))


class NativeSums:
    """The same by the native core."""

    def __init__(
        self, native: Any, words: WordPieces, table: npt.NDArray[np.int8], scale: npt.NDArray[np.float32]
    ) -> None:
        self._dimension = table.shape[1]
        ordered = sorted(words.vocabulary, key=words.vocabulary.__getitem__)
        skipped = sorted(words.skipped)
        self._sums = native.PieceSums(ordered, skipped, table.tobytes(), scale.tolist(), described, _words)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        found = np.frombuffer(bytearray(self._sums.embed(texts)), dtype=np.float32)
        return found.reshape(len(texts), self._dimension)


def summed(
    texts: Sequence[str],
    words: WordPieces,
    dimension: int,
    rows: Callable[[npt.NDArray[np.int64]], npt.NDArray[np.float32]],
) -> npt.NDArray[np.float32]:
    """The unit vectors of texts from the rows of their pieces."""
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    for row, text in enumerate(texts):
        tokens = np.frombuffer(words.packed(text), dtype=NUMBER)
        if len(tokens):
            # Each product is exact in float32 and rows are added in their order, whatever else is in the batch.
            np.add.reduce(rows(tokens), axis=0, out=vectors[row])
    norms = np.sqrt(np.add.reduce(vectors * vectors, axis=1, keepdims=True))
    np.divide(vectors, norms, out=vectors, where=norms > 0)
    return vectors


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, as they are split into pieces."""
    return [word for run in runs(text) for word in _words(run)]


def _words(run: str) -> list[str]:
    if run.isascii():
        parted = run if run.islower() else _CASE_CHANGE.sub(" ", run)
        return parted.lower().replace("_", " ").split()
    parted = _CASE_CHANGE.sub(" ", run)
    plain = "".join(
        character for character in unicodedata.normalize("NFD", parted) if unicodedata.category(character) != "Mn"
    )
    # One character at a time: the lower case of a whole word depends on the position of a sigma in it.
    return ["".join(map(str.lower, word)) for word in _WORD.findall(plain)]
