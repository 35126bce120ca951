"""What stands for a term wherever rows are found by it, and how its rows are written down."""

import hashlib
from collections.abc import Iterable


def term_hash(term: str) -> bytes:
    """Eight bytes that stand for a term: enough that two terms of one codebase never share them."""
    return hashlib.blake2b(term.encode(), digest_size=8).digest()


def term_hashes(terms: Iterable[str]) -> bytes:
    """The hashes of some terms, one after the other."""
    return b"".join(map(term_hash, terms))


def posting_types(rows: int, pairs: int) -> tuple[str, str]:
    """The types of row numbers and of codes, where there are so many rows and pairs."""
    return "<u2" if rows <= 1 << 16 else "<u4", "<u1" if pairs <= 1 << 8 else "<u2"
