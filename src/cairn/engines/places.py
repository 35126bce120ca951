"""`engine.json`: where the vectors of a store are, or have been, when they lie outside of it.

A collection or folder of tables belongs to one store alone: its name is drawn once, so that stores of the same tree on
two machines never collect each other's rows. The address that it was made at is kept with it, and is never followed by
itself: the user alone says where Cairn goes. A store whose address changed is told as such, not as damaged.

    {"places": [{"engine": "milvus", "place": "cairn_…", "address": "http://milvus.internal:19530"}, ...]}

The last place is the one that is written to. An address holds no credentials; an empty one is in the store itself.
"""

import json
import os
import stat
from collections.abc import Callable
from typing import Any

from cairn.base import durable, lazy
from cairn.base.errors import CorruptStoreError, EngineMovedError
from cairn.base.ownfile import read_own
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass

_FILE = "engine.json"
_PREFIX = "cairn_"
_NAME = lazy.expression(r"cairn_[0-9a-f]{24}")
Make = Callable[[str], None]
"""Creates what a place of that name needs."""


@dataclass(frozen=True, slots=True)
class VectorPlace:
    """A collection or a folder of tables that holds vectors of one store."""

    engine: str
    name: str
    """The collection, or the folder of tables."""
    address: str | None
    """None if an older version wrote the file without it: then the address of the settings is assumed."""

    def is_at(self, engine: str, address: str) -> bool:
        """Whether an engine at an address would find the place."""
        return self.engine in ("", engine) and self.address in (None, address)

    @property
    def shown(self) -> str:
        """The place for messages."""
        return f"{self.name} at {shown_address(self.engine, self.address or '')}"


def shown_address(engine: str, address: str) -> str:
    """An address for messages; an empty one is described."""
    return address or ("Milvus Lite in the store" if engine == "milvus" else "the store itself")


def places_of(store: str) -> tuple[VectorPlace, ...]:
    """Every place that the store has had vectors at, the one that is written to last."""
    path = os.path.join(store, _FILE)
    try:
        return _parsed(json.loads(read_own(path)))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorruptStoreError(
            f"{path} doesn't say where the vectors are: {error}.",
            hint=Advice(NextStep("clear"), ", then ", NextStep("index"), "."),
        ) from error


def names_at(store: str, engine: str, address: str) -> tuple[str, ...]:
    """The names of the store's places that an engine has at an address."""
    return tuple(place.name for place in places_of(store) if place.is_at(engine, address))


def require_here(store: str, name: str, engine: str, address: str) -> None:
    """Raise EngineMovedError if a place was made at another address than the settings name."""
    for place in places_of(store):
        if place.name == name and not place.is_at(engine, address):
            raise moved(place, address)


def _nothing(_name: str) -> None:
    """Creates nothing, for engines that create a place with the first write."""


def place_to_write(store: str, engine: str, address: str, make: Make = _nothing) -> str:
    """The place for new segments, drawn with the first; EngineMovedError where the former ones are elsewhere.

    What a place needs is created before the place is written down. If it is missing later, it is out of reach.
    """
    places = places_of(store)
    if not places:
        return _draw(store, engine, address, make)
    if not places[-1].is_at(engine, address):
        raise moved(places[-1], address)
    return places[-1].name


def settle(store: str, engine: str, address: str, make: Make = _nothing) -> str:
    """Write new segments to this address from now on; for a caller who keeps none of the old segments."""
    places = places_of(store)
    if not places or places[-1].is_at(engine, address):
        return place_to_write(store, engine, address, make)
    known = next((place for place in places if place.is_at(engine, address)), None)
    chosen = known or VectorPlace(engine, _new_name(), address)
    if known is None:
        make(chosen.name)
    # The old places stay in the file: if the user sets their address again, they can be removed.
    _write(store, (*(place for place in places if place is not known), chosen))
    return chosen.name


def forget(store: str, engine: str, address: str) -> None:
    """Remove the places of an address from the file; for a caller who has emptied them."""
    places = places_of(store)
    kept = tuple(place for place in places if not place.is_at(engine, address))
    if kept != places:
        _write(store, kept)


def moved(place: VectorPlace, address: str) -> EngineMovedError:
    """The error for a place that is not at the address of the settings."""
    return EngineMovedError(
        f"The vectors of this store are at {shown_address(place.engine, place.address or '')}; "
        f"the settings say {shown_address(place.engine, address)}."
    )


def _draw(store: str, engine: str, address: str, make: Make) -> str:
    path = os.path.join(store, _FILE)
    place = VectorPlace(engine, _new_name(), address)
    make(place.name)
    # Only the holder of the lease and a compaction beside it write: the second one uses the name of the first.
    drawn = f"{path}{durable.TEMP_MARK}{os.urandom(8).hex()}"
    durable.write_new_file(drawn, _encoded((place,)), file_mode(store))
    try:
        os.link(drawn, path)
    except FileExistsError:
        return place_to_write(store, engine, address)
    finally:
        os.unlink(drawn)
        durable.sync_folder(store)
    return place.name


def _new_name() -> str:
    return _PREFIX + os.urandom(12).hex()


def _write(store: str, places: tuple[VectorPlace, ...]) -> None:
    durable.write_file(os.path.join(store, _FILE), _encoded(places), file_mode(store))


def _encoded(places: tuple[VectorPlace, ...]) -> bytes:
    rows = [{"engine": place.engine, "place": place.name, "address": place.address} for place in places]
    return json.dumps({"places": rows}).encode()


def _parsed(document: Any) -> tuple[VectorPlace, ...]:
    rows = document.get("places", [{"engine": "", "address": None, **document}])
    places = tuple(VectorPlace(row["engine"], row["place"], row["address"]) for row in rows)
    for place in places:
        if not (_NAME.fullmatch(place.name) and isinstance(place.engine, str)):
            raise ValueError(f"{place.name!r} is no place")
        if not isinstance(place.address, str | None):
            raise TypeError("an address is no text")
    return places


def file_mode(folder: str) -> int:
    """The mode for a new file: readable by the group if the folder belongs to a shared store."""
    return 0o660 if stat.S_IMODE(os.stat(folder).st_mode) & 0o070 else 0o600
