"""The tables of what languages, their libraries and customs do with names: one file a language, in `tables/`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from cairn.base.values import dataclass, field
from cairn.graph.customs import family

MEMBERS, NAMES, OWN, PARAMETERS, ANYTHING = "members", "names", "own", "parameters", "anything"
"""What is read: members of a value, names of a module, what a thing is called itself, parameters, or all of these."""

_ROOT = "Object"
"""The class whose members all values have."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A construct that reads names while a program runs."""

    words: tuple[str, ...]
    reads: str
    form: str = "call"
    """`call`: the word is called. `member`: it is asked of a value."""
    of: int | str | None = None
    """The argument whose members are read, or `arguments`, `receiver`, `self`, `module`; None where nothing tells."""
    name: int | None = None
    """The argument that says which name is read; None where all are."""
    dotted: bool = False
    """Whether it may be several names, each asked of what the one before gives."""
    module: int | None = None
    """The argument that says which module is read."""
    keywords: bool = False
    """Whether the names that are read are those of the call's arguments: `replace(it, name=1)`."""
    rows: bool = False
    """Whether it reads only fields of what is made by the names of its fields."""
    size: int | None = None
    """How many arguments it has, where other numbers mean something else."""
    qualified: bool = False
    """Whether the argument says where the name is too: `patch("module.name")`."""
    asked_of: tuple[str, ...] = ()
    """What the word must be asked of, where it means something else elsewhere: `object` of `patch`."""
    called: bool = False
    """Whether only a call reads, and not whoever has the word as a value."""
    bases: tuple[str, ...] = ()
    """What the type of the member must be derived from."""
    fields: bool = False
    """Whether only values are read, and no functions."""
    held: bool = False
    """Whether only what a value holds itself is read, and no method of its class."""
    templates: bool = False
    """Whether it reads only names that stand in a template."""
    beside: tuple[str, ...] = ()
    """Words one of which stands in the same function, where the construct alone reads no name."""
    said: tuple[str, ...] = ()
    """Texts one of which stands among the arguments, where the construct without them reads no name."""
    imports: tuple[str, ...] = ()
    """What a file must hold for the word to be that construct; empty where any may have it."""
    anywhere: bool = False
    """Whether these are words that any file may call, as what the construct gives is handed on, for names."""
    exported: bool = False
    """Whether it reads only names with a capital letter, as Go's library does."""
    given: bool = False
    """Whether a value of which nothing is known counts where one of the member's type may be given to it."""
    deep: bool = False
    """Whether it reads what the value holds, too."""
    seen: bool = False
    """Whether it knows only what the file that it stands in does."""
    why: str = ""

    def suits(self, names: tuple[str, ...], text: bytes) -> bool:
        """Whether it reads things of one of some names, in a file with some text."""
        if self.exported and not any(name[:1].isupper() for name in names):
            return False
        return not self.imports or self.anywhere or any(each.encode() in text for each in self.imports)


@dataclass(frozen=True, slots=True)
class Table:
    """What a language, its library and its customs do with names."""

    readers: tuple[Reader, ...] = ()
    special: tuple[str, ...] = ()
    """Names that the language or its runners look for, as patterns."""
    collected: tuple[str, ...] = ()
    """Those of them that stand for every name alike: a runner calls whatever begins so."""
    special_members: tuple[str, ...] = ()
    special_methods: tuple[str, ...] = ()
    plain_decorators: tuple[str, ...] = ()
    """Decorators that register nothing under a name."""
    class_decorators: tuple[str, ...] = ()
    """Decorators that leave a function with its class: no value holds it."""
    asked_decorators: tuple[str, ...] = ()
    """Decorators of functions that are asked for like fields: whoever asks gets what they give."""
    open_decorators: tuple[str, ...] = field(default=())
    """Words in the body of a decorator, or of what makes classes, that tell that it reads names."""
    fills_parameters: tuple[str, ...] = ()
    """Functions whose parameters a runner fills by their names, as patterns."""
    shows: tuple[str, ...] = ()
    """Functions and statements that only show a name to people."""
    spoken: tuple[str, ...] = ()
    """Methods that tell what an object is: people, or a test that has the name in a text."""
    nameless: tuple[str, ...] = ()
    """What stands in the place of a name and is none."""
    libraries: tuple[str, ...] = ()
    """Modules of the language's own whose types tell which members they have."""
    runtime: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The members that the runtime's own classes have in any of its versions, by what these are called."""
    indexed: tuple[str, ...] = ()
    """Bases of types whose members are found by `Type[word]`."""
    named_values: tuple[str, ...] = ()
    """What is told the name of the member that it is the value of, beside what has a method for that."""
    typing: tuple[str, ...] = ()
    """Functions that are given types as texts."""
    passing: tuple[str, ...] = ()
    """Methods that pass on what is asked of their objects."""
    by_word: tuple[str, ...] = ()
    """Methods of what lists names that ask for single ones, or set them."""
    lists: tuple[str, ...] = ()
    """Variables of a type's body whose texts are names of its members."""
    of_module: tuple[str, ...] = ()
    """What means the module that it stands in: `word`, `.member`, or `word()` without arguments."""
    directives: tuple[str, ...] = ()
    """How comments begin that tell tools what to do with what they name."""
    loads: tuple[str, ...] = ()
    """Functions whose first argument names a module, or a file, from where the call stands."""
    keeps_modules: tuple[str, ...] = ()
    """What keeps in which module a type stands."""


@cache
def table_of(language: str) -> Table:
    """The table of a language; an empty one where none is written."""
    written = files("cairn.edit.gate") / "tables" / f"{family(language) or language}.toml"
    if not written.is_file():
        return Table()
    said: dict[str, Any] = tomllib.loads(written.read_text("utf-8"))
    readers = tuple(Reader(**_frozen(row)) for row in said.pop("reader", ()))
    members = {name: members.split() for names, members in said.pop("runtime", {}).items() for name in names.split()}
    every = members.get(_ROOT, [])
    runtime = {name: frozenset((*own, *every)) for name, own in members.items()}
    return Table(readers, runtime=runtime, **_frozen(said))


def _frozen(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
