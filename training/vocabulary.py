"""The pieces that words are made of: found in texts, or taken from a base model.

Pieces are found by merging the most frequent neighbours again and again, starting from characters
(byte-pair encoding, written as WordPiece). Ties are broken by spelling, so the same texts always give
the same vocabulary; the `tokenizers` library reads the result, but its own trainer breaks ties by
chance.
"""

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

from cairn.kernel.wordpiece import MAX_CHARS, MAX_WORD_CHARS, WordPieces, words_of

SPECIAL = ("[PAD]", "[UNK]")
MAX_ALPHABET = 400
_MARK = "##"
_FEWEST = 2

_Pair = tuple[str, str]


def find_vocabulary(texts: Iterable[str], tokens: int) -> bytes:
    """A tokenizer file with the pieces that spell the words of the texts in the fewest tokens."""
    words = Counter(word for text in texts for word in words_of(text[:MAX_CHARS]) if len(word) <= MAX_WORD_CHARS)
    vocabulary = {piece: number for number, piece in enumerate([*SPECIAL, *find_pieces(words, tokens - len(SPECIAL))])}
    return json.dumps(_document(vocabulary), ensure_ascii=False, indent=1).encode()


def find_pieces(words: Counter[str], limit: int) -> list[str]:
    """At most `limit` pieces, characters first, then merges in the order in which they pay."""
    spelt = _spell(words)
    pieces = dict.fromkeys(
        sorted({piece for pieces, _ in spelt for piece in pieces}, key=lambda each: (len(each), each))
    )
    counts: Counter[_Pair] = Counter()
    places: defaultdict[_Pair, set[int]] = defaultdict(set)
    for number, (spelling, count) in enumerate(spelt):
        for pair in pairwise(spelling):
            counts[pair] += count
            places[pair].add(number)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    while heap and len(pieces) < limit:
        negative, pair = heapq.heappop(heap)
        count = counts[pair]
        if count < _FEWEST:
            continue
        if count != -negative:
            # Merges since then have taken some of it away, or added to it.
            heapq.heappush(heap, (-count, pair))
            continue
        merged = pair[0] + pair[1].removeprefix(_MARK)
        pieces[merged] = None
        for changed in _merge(pair, merged, spelt, counts, places):
            heapq.heappush(heap, (-counts[changed], changed))
    return list(pieces)[:limit]


def pieces_of(tokenizer: bytes) -> WordPieces:
    """What texts are encoded with, the same as at search time."""
    vocabulary = _numbers(tokenizer)
    return WordPieces(vocabulary, [vocabulary[word] for word in SPECIAL if word in vocabulary])


def size_of(tokenizer: bytes) -> int:
    return len(_numbers(tokenizer))


def _numbers(tokenizer: bytes) -> dict[str, int]:
    vocabulary: dict[str, int] = json.loads(tokenizer)["model"]["vocab"]
    return vocabulary


def _spell(words: Counter[str]) -> list[tuple[list[str], int]]:
    """Words as characters; those with a rare character are left out, as they would be unknown."""
    characters: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            characters[character] += count
    alphabet = set(sorted(characters, key=lambda each: (-characters[each], each))[:MAX_ALPHABET])
    return [
        ([word[0], *(_MARK + character for character in word[1:])], words[word])
        for word in sorted(words)
        if alphabet.issuperset(word)
    ]


def _merge(
    pair: _Pair,
    merged: str,
    spelt: list[tuple[list[str], int]],
    counts: Counter[_Pair],
    places: defaultdict[_Pair, set[int]],
) -> set[_Pair]:
    """Replace a pair in every word that has it; the pairs that came up anew."""
    changed: set[_Pair] = set()
    for number in places.pop(pair):
        before, count = spelt[number]
        after: list[str] = []
        at = 0
        while at < len(before):
            if (before[at], before[at + 1] if at + 1 < len(before) else "") == pair:
                after.append(merged)
                at += 2
            else:
                after.append(before[at])
                at += 1
        for old in pairwise(before):
            counts[old] -= count
        for new in pairwise(after):
            counts[new] += count
            places[new].add(number)
            if merged in new:
                changed.add(new)
        spelt[number] = (after, count)
    return changed


def _document(vocabulary: dict[str, int]) -> dict[str, object]:
    """What the `tokenizers` library needs to split texts as `cairn.kernel.wordpiece` does."""
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    case_change = {"type": "Replace", "pattern": {"Regex": r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"}}
    steps = [{**case_change, "content": " "}, {"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]
    split = {"type": "Split", "pattern": {"Regex": r"[^\p{L}\p{N}]+"}, "behavior": "Removed", "invert": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": vocabulary[word], "content": word, **special} for word in SPECIAL],
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": split,
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": SPECIAL[1],
            "continuing_subword_prefix": _MARK,
            "max_input_chars_per_word": MAX_WORD_CHARS,
            "vocab": vocabulary,
        },
    }
