"""The text of a symbol, taken apart: `<scheme> <manager> <package> <version> <descriptors>`, or `local <id>`."""

import re
from enum import StrEnum

from cairn.base.values import dataclass
from cairn.semantic.scip.wire import ScipError

_LOCAL = "local "
_NAME = r"(?:`((?:[^`]|``)+)`|([\w+\-$]+))"
_DESCRIPTOR = re.compile(
    rf"(?:\[{_NAME}\])"  # type parameter
    rf"|(?:\({_NAME}\))"  # parameter
    rf"|(?:{_NAME}(?:([/#:!])|\(([\w+\-$]*)\)\.|(\.)))",
    re.ASCII,
)
_SPACE = re.compile(r"(?:[^ ]|  )* ")


class Suffix(StrEnum):
    """The kind of a descriptor, by its last character."""

    NAMESPACE = "namespace"
    TYPE = "type"
    TERM = "term"
    METHOD = "method"
    TYPE_PARAMETER = "type_parameter"
    PARAMETER = "parameter"
    META = "meta"
    MACRO = "macro"
    LOCAL = "local"


_BY_SIGN = {"/": Suffix.NAMESPACE, "#": Suffix.TYPE, ":": Suffix.META, "!": Suffix.MACRO}


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One step of a symbol's path, such as a class or a method."""

    name: str
    suffix: Suffix
    disambiguator: str = ""
    """Tells overloads apart."""


@dataclass(frozen=True, slots=True)
class ScipSymbol:
    """A symbol's parts: the tool's scheme, the package, and the path within it."""

    scheme: str
    manager: str = ""
    package: str = ""
    version: str = ""
    descriptors: tuple[Descriptor, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether the symbol has no meaning outside of its document."""
        return self.kind is Suffix.LOCAL

    @property
    def name(self) -> str:
        """The name of the last descriptor."""
        return self.descriptors[-1].name

    @property
    def kind(self) -> Suffix:
        """The kind of the last descriptor."""
        return self.descriptors[-1].suffix

    @property
    def container(self) -> tuple[str, ...]:
        """The names around it, from the outside."""
        return tuple(descriptor.name for descriptor in self.descriptors[:-1])


def parse_symbol(text: str) -> ScipSymbol:
    """Parse a symbol; ScipError if the grammar doesn't allow it."""
    if text.startswith(_LOCAL):
        name = text[len(_LOCAL) :]
        if not name or " " in name:
            raise ScipError("a local symbol has no name")
        return ScipSymbol("local", descriptors=(Descriptor(name, Suffix.LOCAL),))
    at = 0
    parts = []
    for _ in range(4):
        found = _SPACE.match(text, at)
        if found is None:
            raise ScipError("a symbol has no package")
        parts.append(found[0][:-1].replace("  ", " "))
        at = found.end()
    if not parts[0]:
        raise ScipError("a symbol has no scheme")
    manager, package, version = ("" if part == "." else part for part in parts[1:])
    return ScipSymbol(parts[0], manager, package, version, _descriptors(text, at))


def _descriptors(text: str, at: int) -> tuple[Descriptor, ...]:
    found = []
    while at < len(text):
        match = _DESCRIPTOR.match(text, at)
        if match is None:
            raise ScipError("a symbol has a descriptor that can't be read")
        at = match.end()
        found.append(_descriptor(match))
    if not found:
        raise ScipError("a symbol has no descriptor")
    return tuple(found)


def _descriptor(match: re.Match[str]) -> Descriptor:
    quoted = match[1] or match[3] or match[5]
    name = quoted.replace("``", "`") if quoted else match[2] or match[4] or match[6]
    if match[1] or match[2]:
        return Descriptor(name, Suffix.TYPE_PARAMETER)
    if match[3] or match[4]:
        return Descriptor(name, Suffix.PARAMETER)
    if match[7]:
        return Descriptor(name, _BY_SIGN[match[7]])
    if match[9]:
        return Descriptor(name, Suffix.TERM)
    return Descriptor(name, Suffix.METHOD, match[8] or "")
