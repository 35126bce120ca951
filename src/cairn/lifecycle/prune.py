"""Maintenance: forget codebases that are gone for good. No answer to a question may lead here."""

from collections.abc import Callable

from cairn.base.errors import BusyError
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.tracked import Tracked


def prune(registry: Registry, is_gone: Callable[[Tracked], bool]) -> tuple[str, ...]:
    """Forget those of which `is_gone` is certain; the roots that were forgotten."""
    forgotten = []
    for row in registry.all():
        if is_gone(row):
            try:
                if registry.forget(row.root, run_id=row.run_id):
                    forgotten.append(row.root)
            except BusyError:
                continue
    return tuple(forgotten)
