"""From text to token numbers: words are split where their case changes, then into known pieces.

The same result as the model's own tokenizer file under the `tokenizers` library (a test holds the
two against each other), at a quarter of its CPU time on code and without loading it: code repeats
its identifiers, so the pieces of each are looked up once and remembered.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterable, Mapping
from itertools import chain

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
    """A vocabulary, and what it makes of texts; pieces that continue a word start with `##`."""

    def __init__(self, vocabulary: Mapping[str, int], skipped: Iterable[int] = ()) -> None:
        self._vocabulary = vocabulary
        self._skipped = frozenset(skipped)
        self._longest = max(map(len, vocabulary), default=0)
        self._of_word = Remembered(self._find).__getitem__
        self._pieces_of = Remembered(self._of_run).__getitem__

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text, in order; words without pieces have none."""
        return array(NUMBER, self.packed(text)).tolist()

    def packed(self, text: str) -> bytes:
        """The token numbers of a text as an array of `NUMBER` has them in memory."""
        return b"".join(map(self._pieces_of, runs(text[:MAX_CHARS])))

    def _of_run(self, run: str) -> bytes:
        return array(NUMBER, chain.from_iterable(map(self._of_word, _words(run)))).tobytes()

    def _find(self, word: str) -> list[int]:
        """The longest known piece, again and again; none at all when a rest is unknown."""
        if len(word) > MAX_WORD_CHARS:
            return []
        pieces: list[int] = []
        start, mark = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._vocabulary.get(mark + word[start:end])
                if number is not None:
                    pieces.append(number)
                    start, mark = end, "##"
                    break
            else:
                return []
        return [number for number in pieces if number not in self._skipped]


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
    # One character at a time: the lower case of a word would depend on where a sigma stands in it.
    return ["".join(map(str.lower, word)) for word in _WORD.findall(plain)]
