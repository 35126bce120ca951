"""What is loaded with its first use: a search for a text needs no NumPy, and no question needs a writer."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


class _Module:
    """Stands for a module, whatever becomes of its names."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loaded: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and "_name" not in self.__dict__:
            # A copy in the making asks before it has anything.
            raise AttributeError(name)
        if self._loaded is None:
            self._loaded = import_module(self._name)
        return getattr(self._loaded, name)


def module(name: str) -> Any:
    """A module that is loaded when something of it is asked for."""
    return _Module(name)


def function(module: str, name: str) -> Callable[..., Any]:
    """A function whose module is loaded when it is called."""

    def call(*given: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*given, **named)

    return call


def exports(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__`: each of its modules, by name, with the names that the package gives on from it.

    None of these names may be that of a module too: which of the two is meant would depend on what was loaded before.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home}"), name)
        # Found without this function from now on.
        setattr(import_module(package), name, value)
        return value

    return find
