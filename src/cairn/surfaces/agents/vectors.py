"""Which vector engine the settings name, where the vectors of the stores are, and whether they can be reached."""

import os
from collections import Counter

from cairn.base.errors import CairnError
from cairn.base.text import plural
from cairn.codebase.homestores import StoreInfo, ask_vectors, list_stores, prove_vectors
from cairn.engines import require_installed
from cairn.engines.settings import address_of, chosen_engine
from cairn.surfaces.agents.checks import DoctorCheck, failed, ok, warning


def check_engines(home: str) -> DoctorCheck:
    """One check for all stores: the first problem with their vectors, else a summary."""
    stores = [store for store in list_stores(home) if store.engine]
    try:
        chosen = chosen_engine("")
        require_installed(chosen)
        address = address_of(chosen)
        for name in sorted({store.engine for store in stores}):
            require_installed(name)
        strayed = [store for store in stores if store.engine != "flat" and store.address != address_of(store.engine)]
        for store in stores:
            if store not in strayed:
                ask_vectors(home, store)
        # A folder that is missing may not be mounted: then nothing is made in its place.
        proven = bool(address) and (not address.startswith("/") or os.path.isdir(address)) and not strayed
        if proven:
            prove_vectors(chosen)
    except CairnError as error:
        return failed("engine", error.message, error.hint)
    if strayed:
        named = ", ".join(f"{store.canonical_root or store.store_id}: {_where(store)}" for store in strayed[:3])
        return warning(
            "engine",
            f"The settings name another address than that of {plural(len(strayed), 'store')}: {named}.",
            "Put the address back, or run `cairn index --reindex` there.",
        )
    counted = Counter(_where(store) for store in stores)
    said = "; ".join(f"{count} in {where}" for where, count in sorted(counted.items()))
    where = f"{chosen} at {address} by the settings" if address else chosen if not said else f"{chosen} by the settings"
    proof = ", which has just taken, found and given up a few vectors" if proven else ""
    return ok("engine", f"{where}{proof}" + (f"; {said}" if said else ""))


def _where(store: StoreInfo) -> str:
    return f"{store.engine} at {store.address}" if store.address else store.engine
