"""What stands for a term wherever rows are found by it."""

import hashlib
from collections.abc import Iterable


def term_hash(term: str) -> bytes:
    """Eight bytes that stand for a term: enough that two terms of one codebase never share them."""
    return hashlib.blake2b(term.encode(), digest_size=8).digest()


def term_hashes(terms: Iterable[str]) -> bytes:
    """The hashes of some terms, one after the other."""
    return b"".join(map(term_hash, terms))
