"""Interfaces that a type is of by having their members, without naming them: Go's, and protocols of Python."""

import re
from collections.abc import Callable, Iterator

from cairn.graph.customs import customs_of
from cairn.graph.meaning import Meaning
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World

_PROTOCOL = re.compile(r"[(,]\s*(?:\w+\.)*Protocol\b")
_LONGEST = 40
"""Methods; whoever promises more is looked at no further."""


class Promises:
    """Who keeps what an interface promises, by the names of its methods: likely, and never more.

    `member` tells what a member of a type is, `methods` all functions that types of the snapshot have by a name, and
    `bases` the interfaces that another is made of.
    """

    def __init__(
        self,
        world: World,
        member: Callable[[Definition, str], Meaning],
        methods: Callable[[str, str], list[Definition]],
        bases: Callable[[Definition], Iterator[Definition]],
    ) -> None:
        self._world = world
        self._member = member
        self._methods = methods
        self._bases = bases
        self._asked: dict[Key, dict[str, Definition]] = {}
        self._kept: dict[tuple[Key, Key], bool] = {}

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
        # All of them are needed: whoever has the rarest may have the others.
        asked = self._methods_of(promise)
        few = min((self._methods(language, name) for name in asked), key=len, default=[])
        owners = dict.fromkeys(owner for each in few for owner in self.owners(each))
        return [owner for owner in owners if self.is_kept(promise, owner)]

    def above(self, owner: Definition, name: str) -> list[Definition]:
        """The methods of interfaces in whose place a method of a type stands."""
        language = self._world.languages.get(owner.path, "")
        if language != "python" and not customs_of(language).structural:
            return []
        return [
            each
            for each in self._methods(language, name)
            for promise in self.owners(each)
            if promise != owner and self.is_promise(promise) and self.is_kept(promise, owner)
        ]

    def is_kept(self, promise: Definition, owner: Definition) -> bool:
        """Whether a type, and no interface itself, has the methods of an interface."""
        key = (key_of(promise), key_of(owner))
        found = self._kept.get(key)
        if found is None:
            asked = {} if self.is_promise(owner) else self._methods_of(promise)
            found = self._kept[key] = bool(asked) and all(self._has(owner, each) for each in asked.values())
        return found

    def owners(self, member: Definition) -> list[Definition]:
        """The types that a member is written for."""
        scope, name = self._world.scope(member.path), member.symbol.container
        found = [Definition(member.path, each) for each in scope.named(name) if each.kind in TYPES]
        if found or not customs_of(scope.language).scattered:
            return found
        folder = member.path.rpartition("/")[0]
        return [
            each
            for each in self._world.namesakes(name)
            if each.symbol.kind in TYPES
            and each.symbol.qualified_name == name
            and each.path.rpartition("/")[0] == folder
        ]

    def _has(self, owner: Definition, asked: Definition) -> bool:
        found = self._member(owner, asked.symbol.name).targets
        language = self._world.languages.get(owner.path, "")
        return any(
            each.symbol.kind in FUNCTIONS and (language == "python" or _shape(each) == _shape(asked)) for each in found
        )

    def _methods_of(self, promise: Definition) -> dict[str, Definition]:
        """What an interface asks for; nothing where any value may well have all of it."""
        key = key_of(promise)
        found = self._asked.get(key)
        if found is None:
            customs = customs_of(self._world.languages.get(promise.path, ""))
            found = {}
            for each in (promise, *self._bases(promise)):
                for named in self._world.scope(each.path).members.get(each.symbol.qualified_name, {}).values():
                    if named[0].kind in FUNCTIONS:
                        found.setdefault(named[0].name, Definition(each.path, named[0]))
            telling = [name for name in found if name not in customs.members and not name.startswith("__")]
            found = self._asked[key] = found if telling and len(found) <= _LONGEST else {}
        return found


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
