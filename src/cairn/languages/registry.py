"""Finds the record of a language by its name, and loads no other; what records are made of comes with the first."""

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cairn.languages.record import Language

_PACKAGE = "cairn.languages"


@cache
def record_of(name: str) -> "Language":
    """What is known of a language; a record that says nothing but its name where there is no module for it."""
    from cairn.languages.record import Language

    own = name.replace("-", "_")
    module = f"{_PACKAGE}.{own}"
    if not own.isidentifier():
        return Language(name)
    try:
        found = getattr(importlib.import_module(module), "LANGUAGE", None)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        found = None
    return found if isinstance(found, Language) else Language(name)


def records() -> tuple["Language", ...]:
    """Every language that has a module of its own."""
    from pkgutil import iter_modules

    package = importlib.import_module(_PACKAGE)
    names = sorted(module.name for module in iter_modules(package.__path__))
    modules = (importlib.import_module(f"{_PACKAGE}.{name}") for name in names)
    return tuple(module.LANGUAGE for module in modules if hasattr(module, "LANGUAGE"))
