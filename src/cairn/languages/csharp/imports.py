"""What an import of C# binds."""

import re
from collections.abc import Iterable

from cairn.languages.imports import EVERYTHING, Binding


def bindings(statement: str, _source: str, _before: str) -> Iterable[Binding]:
    """What a `using` binds."""
    match = re.search(r"using\s+(?:static\s+)?(\w+)\s*=", statement)
    return [Binding("", match[1])] if match else [Binding(EVERYTHING, EVERYTHING)]
