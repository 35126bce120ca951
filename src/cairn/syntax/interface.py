"""The interface hash: what other files can see of a file, and nothing else."""

import hashlib
import json
from collections.abc import Iterable

from cairn.syntax.facts import Symbol


def interface_hash(symbols: Iterable[Symbol]) -> str:
    """Over exported names, kinds and signatures; bodies, private names and their order don't count."""
    visible = sorted((symbol.qualified_name, symbol.kind, symbol.signature) for symbol in symbols if symbol.exported)
    return hashlib.sha256(json.dumps(visible, separators=(",", ":")).encode()).hexdigest()
