"""Files of code that could not be taken in: what a name means is answered without them, and has to say so."""

import re
from collections.abc import Collection, Iterable, Iterator

from cairn.base.errors import CairnError
from cairn.languages.files import OTHER, language_of
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.reads import Opener, read_stable

_UNREAD = frozenset(
    {
        SkipReason.ENCODING,
        SkipReason.BINARY,
        SkipReason.TOO_LARGE,
        SkipReason.TOO_MANY_CHUNKS,
        SkipReason.UNREADABLE,
        SkipReason.SECRET,
    }
)
"""Why a file is left out that is the project's own all the same. What a rule ignores is foreign or generated."""
_MOST_BYTES = 16 << 20
_IN_ALL = 64 << 20


def unread_code(skips: Iterable[Skip]) -> tuple[tuple[str, str], ...]:
    """The path of each file of code that was skipped though no rule leaves it out, with the reason; in order."""
    left_out = [skip for skip in skips if skip.reason in _UNREAD and not skip.path.endswith("/")]
    if not left_out:
        return ()
    from cairn.languages.record import CODE
    from cairn.languages.registry import record_of

    own = ((skip, language_of(skip.path)) for skip in left_out)
    found = (skip for skip, language in own if language != OTHER and record_of(language).content == CODE)
    return tuple(sorted((skip.path, skip.reason.value) for skip in found))


def holding(tree: Opener, files: Iterable[tuple[str, str]], names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Those of some unread files that hold one of some names, or can't be searched for them."""
    forms = re.compile(b"|".join(sorted({form for name in names for form in _written(name)})))
    left = _IN_ALL
    for path, reason in files:
        data = b""
        # A secret stays unread, whoever asks.
        if reason != SkipReason.SECRET and left > 0:
            try:
                data = read_stable(tree, path, min(left, _MOST_BYTES), hashing=False).data
            except FileNotFoundError:
                continue
            except (OSError, CairnError):
                yield path, reason
                continue
            left -= len(data)
            if forms.search(data) is None:
                continue
        yield path, reason


def _written(name: str) -> Iterator[bytes]:
    """A name as a whole word, in whatever encoding."""
    for encoding in ("utf-8", "latin-1"):
        try:
            yield rb"(?<!\w)" + re.escape(name.encode(encoding)) + rb"(?!\w)"
        except UnicodeEncodeError:
            continue
    for encoding in ("utf-16-le", "utf-16-be"):
        yield re.escape(name.encode(encoding))
