"""From text to token numbers: words are split where their case changes, then into known pieces.

The same result as the model's own tokenizer file under the `tokenizers` library (a test holds the
two against each other), at a quarter of its CPU time on code and without loading it: code repeats
its identifiers, so the pieces of each are looked up once and remembered.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterable, Mapping
from functools import cached_property

from cairn.syntax.runs import Remembered, runs

MAX_CHARS = 20_000
"""Only the start of a longer text counts: a chunk is far shorter, and work per text stays bounded."""
MAX_WORD_CHARS = 40
"""A longer word is noise (hashes, encoded data) and has no tokens; the model was trained that way."""
NUMBER = "q"
"""The type of token numbers: what numpy takes rows by without a conversion."""

_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")


class WordPieces:
    """A vocabulary that splits texts into tokens; pieces that continue a word start with `##`."""

    def __init__(self, vocabulary: Mapping[str, int], skipped: Iterable[int] = ()) -> None:
        self._vocabulary = vocabulary
        self._skipped = frozenset(skipped)
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
        return frozenset("".join(self._vocabulary))

    def _split(self, run: str) -> bytes:
        if run.isascii() and run.islower() and "_" not in run:
            return self._find(run)
        return b"".join(map(self._of_word, _words(run)))

    def _find(self, word: str) -> bytes:
        """The longest known piece, again and again; none at all when a rest is unknown."""
        if len(word) > MAX_WORD_CHARS or not (word.isascii() or self._letters.issuperset(word)):
            return b""
        number = self._vocabulary.get
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
        return array(NUMBER, [piece for piece in pieces if piece not in self._skipped]).tobytes()


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
