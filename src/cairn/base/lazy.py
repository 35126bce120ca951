"""Modules that are loaded on their first use: a text search needs no NumPy, and no query needs a writer."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any


class _Module:
    """A stand-in for a module; names are looked up in the module each time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loaded: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and "_name" not in self.__dict__:
            # `copy` looks for special methods before the attributes are there.
            raise AttributeError(name)
        if self._loaded is None:
            self._loaded = import_module(self._name)
        return getattr(self._loaded, name)


def module(name: str) -> Any:
    """A module that is loaded when one of its names is first used."""
    return _Module(name)


class _Function:
    """A stand-in for a function, with the attribute by which decorators show what they stand for."""

    def __init__(self, module: str, name: str) -> None:
        self._place = module, name

    @property
    def __wrapped__(self) -> Any:
        return getattr(import_module(self._place[0]), self._place[1])

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.__wrapped__(*given, **named)


def function(module: str, name: str) -> Callable[..., Any]:
    """A function whose module is loaded when it is called."""
    return _Function(module, name)


class _Expression:
    """A stand-in for a compiled expression; its methods are looked up once each."""

    def __init__(self, *given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        import re

        # `re` itself keeps what it compiled.
        found = getattr(re.compile(*self.__dict__["_given"]), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import re

    expression = re.compile
else:

    def expression(pattern: str | bytes, flags: int = 0) -> _Expression:
        """A regular expression that is compiled when first used: few commands need all that their modules have."""
        return _Expression(pattern, flags)


def exports(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Make a package's `__getattr__` from its modules, each with the names that the package re-exports from it.

    No such name may also be the name of a module: what it means would then depend on what was loaded before.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home}"), name)
        # From now on the name is found without this function.
        setattr(import_module(package), name, value)
        return value

    return find
