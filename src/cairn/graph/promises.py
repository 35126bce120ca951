"""Interfaces that a type is of by having their members, without naming them: Go's, and protocols of Python."""

import re
from collections.abc import Iterator
from typing import Protocol

from cairn.graph.customs import customs_of
from cairn.graph.meaning import Circles, Meaning
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition, key_of
from cairn.graph.world import World

_PROTOCOL = re.compile(r"[(,]\s*(?:\w+\.)*Protocol\b")
_LONGEST = 40
"""Methods; whoever promises more is looked at no further."""


class TypeMembers(Protocol):
    """What has to be known of types and their members."""

    def of(self, item: Definition, name: str) -> Meaning:
        """A member of a type, or of what it is derived from."""

    def methods(self, language: str, name: str) -> list[Definition]:
        """The functions that types have by a name."""

    def owners(self, item: Definition) -> list[Definition]:
        """The types that a member is one of."""

    def promised(self, item: Definition) -> Iterator[Definition]:
        """What a value of a type may be taken for."""


class Promises:
    """Who keeps what an interface promises, by the names of its methods: likely, and never more."""

    def __init__(self, world: World, members: TypeMembers, circles: Circles) -> None:
        self._world = world
        self._members = members
        self._circles = circles
        self._promised: dict[tuple[str, str], list[tuple[Definition, Definition]]] = {}
        """Methods that interfaces ask for, each with its interface, by language and name."""

    def is_promise(self, item: Definition) -> bool:
        """Whether whatever has the members of a type is of it."""
        language = self._world.languages.get(item.path, "")
        if language == "python":
            return item.symbol.kind == "class" and _PROTOCOL.search(item.symbol.signature) is not None
        return item.symbol.kind == "interface" and customs_of(language).structural

    def keepers(self, promise: Definition) -> list[Definition]:
        """The types that have all methods of an interface."""
        if not self.is_promise(promise):
            return []
        language = self._world.languages.get(promise.path, "")
        # Some may be those of what a type embeds: whoever writes one of them may have all.
        methods = (each for name in self._methods_of(promise) for each in self._members.methods(language, name))
        owners = dict.fromkeys(owner for each in methods for owner in self._members.owners(each))
        return [owner for owner in owners if self.is_kept(promise, owner)]

    def above(self, owner: Definition, name: str) -> list[Definition]:
        """The methods of interfaces in whose place a method of a type stands."""
        language = self._world.languages.get(owner.path, "")
        if not _has_promises(language):
            return []
        promised = self._promised.get((language, name))
        if promised is None:
            promised = self._promised[(language, name)] = [
                (each, promise)
                for each in self._members.methods(language, name)
                for promise in self._members.owners(each)
                if self.is_promise(promise)
            ]
        return [each for each, promise in promised if self.is_kept(promise, owner)]

    def is_kept(self, promise: Definition, owner: Definition) -> bool:
        """Whether a type, and no interface itself, has the methods of an interface."""

        def ask() -> bool:
            asked = {} if self.is_promise(owner) else self._methods_of(promise)
            return bool(asked) and all(self._has(owner, each) for each in asked.values())

        return self._circles.kept(("promise kept", key_of(promise), key_of(owner)), ask)

    def made_by(self, owner: Definition) -> list[Definition]:
        """The interfaces whose methods a type has."""
        return self._circles.kept(("promises", key_of(owner)), lambda: self._made_by(owner))

    def _made_by(self, owner: Definition) -> list[Definition]:
        scope, name = self._world.scope(owner.path), owner.symbol.qualified_name
        if not _has_promises(scope.language):
            return []
        # Methods may stand in other files of the folder.
        paths = self._world.folders[owner.path.rpartition("/")[0]] if customs_of(scope.language).scattered else ()
        scopes = (scope, *(self._world.scope(path) for path in paths if path != owner.path))
        names = {each for one in scopes for each in one.members.get(name, {})}
        kept = (each for name in sorted(names) for each in self.above(owner, name))
        return list(dict.fromkeys(promise for each in kept for promise in self._members.owners(each)))

    def _has(self, owner: Definition, asked: Definition) -> bool:
        found = self._members.of(owner, asked.symbol.name).targets
        language = self._world.languages.get(owner.path, "")
        return any(
            each.symbol.kind in FUNCTIONS and (language == "python" or _shape(each) == _shape(asked)) for each in found
        )

    def _methods_of(self, promise: Definition) -> dict[str, Definition]:
        """What an interface asks for; nothing where any value may well have all of it."""
        return self._circles.kept(("promise", key_of(promise)), lambda: self._find_methods(promise))

    def _find_methods(self, promise: Definition) -> dict[str, Definition]:
        customs = customs_of(self._world.languages.get(promise.path, ""))
        found: dict[str, Definition] = {}
        for each in (promise, *self._members.promised(promise)):
            for named in self._world.scope(each.path).members.get(each.symbol.qualified_name, {}).values():
                if named[0].kind in FUNCTIONS:
                    found.setdefault(named[0].name, Definition(each.path, named[0]))
        telling = [name for name in found if name not in customs.members and not name.startswith("__")]
        return found if telling and len(found) <= _LONGEST else {}


def _has_promises(language: str) -> bool:
    return language == "python" or customs_of(language).structural


def _shape(item: Definition) -> tuple[int, bool]:
    """How many parameters a method has, and whether it gives something back."""
    head = item.symbol.signature.partition(f"{item.symbol.name}(")[2]
    depth, at, commas = 1, 0, 0
    while at < len(head) and depth:
        depth += (head[at] in "([{") - (head[at] in ")]}")
        commas += head[at] == "," and depth == 1
        at += 1
    inside = head[: at - 1].strip()
    return (commas + (not inside.endswith(",")) if inside else 0), bool(head[at:].strip(" {"))
