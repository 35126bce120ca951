"""Words of code: identifiers, whole and split, as the index and the query both see them."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from cairn.base import lazy
from cairn.kernel.runs import Remembered, runs

BYTES_PER_TOKEN = 4


def token_cost(text: str) -> int:
    """Tokens of a text: its bytes in UTF-8 over four, rounded up.

    Tokenizers differ from model to model; code in English takes somewhat more than four bytes a token in
    those of today, so the estimate errs on the side of the budget. What stands in pieces never costs less
    than the whole.
    """
    return token_cost_of(len(text.encode("utf-8", "surrogatepass")))


def token_cost_of(size: int) -> int:
    """Tokens of a text of so many bytes."""
    return -(-size // BYTES_PER_TOKEN)


_WORD = lazy.expression(r"[^\W_]+(?:_+[^\W_]+)*|_+[^\W_]+(?:_+[^\W_]+)*")
_PART = lazy.expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_VOWEL = lazy.expression(r"[aeiouy]")
MAX_TOKEN_CHARS = 64


def tokens(text: str) -> list[str]:
    """Lower-case tokens in order: each identifier whole and, where it has several, the stems of its parts.

    A plain word is only its stem, so that singular and plural, verb and gerund meet.
    """
    return list(each_token(text))


def tokens_of_each(texts: Iterable[str]) -> list[list[str]]:
    """The tokens of each text, in the order of the texts."""
    return [list(each_token(text)) for text in texts]


def each_token(text: str) -> Iterator[str]:
    """The tokens of a text, one by one."""
    return chain.from_iterable(map(_remembered, runs(text)))


def tokens_of_run(run: str) -> tuple[str, ...]:
    """The tokens of what stands between white space and signs."""
    if run.isascii():
        return _of_word(run) if run.strip("_") else ()
    return tuple(chain.from_iterable(map(_of_word, _WORD.findall(run))))


def _of_word(word: str) -> tuple[str, ...]:
    if word.isascii() and word.isalpha() and word.islower():
        return (stem(word[:MAX_TOKEN_CHARS]),)
    parts = _PART.findall(word)
    if len(parts) <= 1:
        return (stem(word.strip("_").lower()[:MAX_TOKEN_CHARS]),)
    whole = word.strip("_").lower()[:MAX_TOKEN_CHARS]
    return (whole, *[stem(part.lower()[:MAX_TOKEN_CHARS]) for part in parts if len(part) > 1])


_remembered = Remembered(tokens_of_run).__getitem__


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A plural folded and one common ending taken off; short words stay as they are."""
    word = _IRREGULAR.get(word, word)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    found = _without_ending(word)
    # `validate` and `validation` meet, and so do all their kin.
    return found[:-2] if found.endswith("at") and len(found) > 5 else found


def _without_ending(word: str) -> str:
    for ending, least in _ENDINGS if word.endswith(_ANY_ENDING) else ():
        if word.endswith(ending):
            base = word[: -len(ending)]
            if len(base) >= least and _VOWEL.search(base):
                return _undoubled(base) if ending in ("ing", "ed", "er") else base
    return word[:-1] if word.endswith("e") else word


_IRREGULAR = {
    form: base
    for base, forms in {
        "begin": "began begun",
        "bind": "bound",
        "break": "broke broken",
        "build": "built",
        "choose": "chose chosen",
        "draw": "drew drawn",
        "feed": "fed",
        "find": "found",
        "forget": "forgot forgotten",
        "freeze": "froze frozen",
        "give": "gave given",
        "hide": "hid hidden",
        "hold": "held",
        "keep": "kept",
        "lose": "lost",
        "make": "made",
        "overwrite": "overwritten overwrote",
        "rebuild": "rebuilt",
        "run": "ran",
        "send": "sent",
        "shut": "shutting",
        "steal": "stole stolen",
        "take": "took taken",
        "throw": "threw thrown",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}
_ENDINGS = (
    ("ization", 3),
    ("ation", 4),
    ("izer", 3),
    ("izing", 3),
    ("ized", 3),
    ("ize", 3),
    ("ing", 3),
    ("ion", 4),
    ("er", 4),
    ("or", 5),
    ("ed", 3),
    ("ly", 4),
    ("able", 4),
)
_ANY_ENDING = tuple(ending for ending, _ in _ENDINGS)


def _undoubled(base: str) -> str:
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return base[:-1] if len(base) > 4 and base.endswith("e") else base
