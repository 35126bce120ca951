"""Definitions by name: syntactic, so a name stands for everything that bears it."""

from collections.abc import Callable

from cairn.store import SnapshotView, SymbolRow
from cairn.values import dataclass

MAX_PLACES = 2_000
_LOOKED_UP = 200_000


@dataclass(frozen=True, slots=True)
class Definition:
    """Where something is defined."""

    path: str
    symbol: SymbolRow


def find_definitions(view: SnapshotView, name: str) -> list[Definition]:
    """Definitions of a name, exact case first; `owner.name` asks for those inside an owner."""
    owner, last = _parts(name)
    found = [
        Definition(path, symbol)
        for path, symbol in view.symbols_with_paths([_sound(last)], _LOOKED_UP)
        if not owner or _ends_with(symbol.container, owner)
    ]
    found.sort(key=lambda item: (*standing(name)(item), item.path, item.symbol.name_line))
    return found


def standing(name: str) -> Callable[[Definition], tuple[bool, bool]]:
    """What orders definitions of a name before their places do: exact case first, then what others can see."""
    last = _parts(name)[1]
    return lambda item: (item.symbol.name != last, not item.symbol.exported)


def _parts(name: str) -> tuple[str, str]:
    owner, _, last = name.replace("::", ".").replace("#", ".").rpartition(".")
    return owner, last


def _sound(name: str) -> str:
    """Names in the index are text; what isn't can't be one of them."""
    return name.encode("utf-8", "replace").decode()


def _ends_with(container: str, owner: str) -> bool:
    have, want = container.casefold(), owner.casefold()
    return have == want or have.endswith(f".{want}")
