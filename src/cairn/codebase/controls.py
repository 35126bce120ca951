"""The control files of a home and of a store: what is wrong with each, and setting it aside."""

import os
from collections.abc import Callable

from cairn.embed.cache import mend_cache
from cairn.embed.cachefile import CACHE_NAME, cache_fault
from cairn.lifecycle.registry import REGISTRY_NAME, Registry
from cairn.readcache.log import LOG_NAME, ReadLog
from cairn.semantic.control import CONTROL_NAME, control_fault, control_file
from cairn.store.health import REPAIR, HealthCheck, Level
from cairn.store.layout import Layout


def check_controls(home: str, layout: Layout) -> list[HealthCheck]:
    """Look at each of them whole."""
    found = control_faults(home, layout)
    if not found:
        return [HealthCheck("control_files", Level.OK, "the control files of the store and the home are sound")]
    return [HealthCheck("control_files", Level.ERROR, said, REPAIR) for said in found.values()]


def control_faults(home: str, layout: Layout) -> dict[str, str]:
    """What is wrong with each, by its name; those that are sound or not there are left out."""
    found = {
        REGISTRY_NAME: Registry(home).fault(),
        LOG_NAME: ReadLog(home).fault(),
        CONTROL_NAME: control_fault(layout),
        CACHE_NAME: cache_fault(home),
    }
    return {name: said for name, said in found.items() if said}


def set_controls_aside(home: str, layout: Layout) -> tuple[str, ...]:
    """Move those that are damaged out of the way, to begin anew; the names under which they are kept."""
    setting: dict[str, Callable[[], str]] = {
        REGISTRY_NAME: lambda: Registry(home).set_aside() or "",
        LOG_NAME: ReadLog(home).set_aside,
        CONTROL_NAME: control_file(layout).set_aside,
        CACHE_NAME: lambda: mend_cache(home),
    }
    kept = [setting[name]() for name in control_faults(home, layout)]
    return tuple(os.path.basename(path) for path in kept if path)
