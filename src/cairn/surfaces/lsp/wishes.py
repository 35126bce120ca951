"""What a request of Cairn's own asks for."""

from collections.abc import Mapping
from typing import Any

NOT_INDEXED = "This folder is not indexed: run `cairn index` in it, or the command cairn.index."


def given(params: object, name: str, kind: type, otherwise: Any) -> Any:
    """A field of a request, whose parameters are an object of attributes or a mapping; of another kind it is none."""
    value = params.get(name) if isinstance(params, Mapping) else getattr(params, name, None)
    if value is None or (isinstance(value, bool) and kind is int):
        return otherwise
    return value if isinstance(value, kind) else otherwise
