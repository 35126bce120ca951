"""Python classes and functions whose names are read at run time, or listed with their module."""

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from cairn.edit.callers import is_handed_on
from cairn.edit.group import Group
from cairn.edit.lineage import CLASSES
from cairn.edit.ownname import above, asked_in, is_shown
from cairn.edit.reading import Program, first, is_wanted, places, reads
from cairn.edit.sourcefile import SourceFile
from cairn.edit.values import Doubt
from cairn.semantic.scip.symbols import Suffix, parse_symbol

_OWN_NAMES = re.compile(
    rb"\bglobals\(\)(?!\s*\[\s*[\"'])|\bsys\.modules\[__name__\]|\b(?:dir|vars)\(\)"
    rb"|(?<![.\w])(?:eval|exec)\((?!\s*[rb]?([\"'])[^\"']*\1\s*[,)])"
)
_FRAME = re.compile(rb"(?<=\.)co_(?:qual)?name\b|\binspect\.stack\(|\b(?:getouterframes|extract_stack)\(")
_BELOW = b"__subclasses__"
_BY_TEXT = re.compile(rb"\bgetattr\(\s*[\w.]+(?:\([^()\n]*\))?\s*,(?!\s*[\"'])")
_LISTING = rb"\b(?:vars|dir|getmembers|getmembers_static)\(\s*(?:\w+\.)*(?:%(m)s)\s*[,)]"
_ASKING = rb"\bgetattr\(\s*(?:\w+\.)*(?:%(m)s)\s*,(?!\s*[\"'])|(?:\b|\.)(?:%(m)s)\.__dict__\b"
_ARGUMENT = rb"[(,=]\s*(?:\w+\.)*\b(%(m)s)\s*[,)]"
_NO_READERS = frozenset(
    b"reload isinstance print str repr id type object setattr delattr hasattr getattr patch".split()
)
"""Functions that take a module with a name as a string, or that don't read its names."""


def toplevel_doubts(group: Group, program: Program) -> Iterator[Doubt]:
    """Places that may read the name of a class or function of Python's at run time."""
    yield from _own_name(group, program)
    for path in dict.fromkeys(path for path, _ in group.definitions):
        yield from first(group.name, _OWN_NAMES, [program.source_of(path)])
        yield from _listed(group, path, program)
    yield from _loaded(group, program)
    if parse_symbol(group.symbol).kind is Suffix.METHOD:
        sources = (source for word in ("co_name", "stack", "getouterframes") for source in program.holding(word))
        read = (each for each in places(_FRAME, sources) if not is_shown(each[2]))
        yield from (reads(group.name, source, match.start()) for source, match, _ in islice(read, 1))


def _listed(group: Group, path: str, program: Program) -> Iterator[Doubt]:
    """Doubts about other files that list a module's names, look one up dynamically, or pass the module on."""
    folder, _, name = path.rpartition("/")
    module = posixpath.basename(folder) if name == "__init__.py" else name.rpartition(".")[0]
    for source in program.python(module) if module else ():
        if not is_wanted(group.name, source.data):
            continue
        written = re.escape(module.encode())
        called = {written} | {re.escape(each) for each in re.findall(rb"\b%s\s+as\s+(\w+)" % written, source.data)}
        names = {b"m": b"|".join(sorted(called))}
        yield from first(group.name, re.compile((_LISTING + b"|" + _ASKING) % names), [source])
        yield from _handed_on(group.name, source, re.compile(_ARGUMENT % names), program)


def _handed_on(name: str, source: SourceFile, argument: re.Pattern[bytes], program: Program) -> Iterator[Doubt]:
    """Doubts about a module that is passed on as a value: the receiver may look up anything in it."""
    for _, match, node in places(argument, [source]):
        known = program.known_at(source, match.start(1))
        call = next((outer for outer in above(node) if outer.type == "call"), None)
        function = call.child_by_field_name("function") if call is not None else None
        called = (function.text or b"").rpartition(b".")[2] if function is not None else b""
        if called not in _NO_READERS and any(each.symbol.endswith(("/__init__:", "/")) for each in known):
            yield reads(name, source, match.start(1))
            return


def _loaded(group: Group, program: Program) -> Iterator[Doubt]:
    """Doubts about files that import a computed module and look up computed names in it."""
    if group.name.startswith("_"):
        return
    for word in ("import_module", "__import__"):
        sources = (source for source in program.python(word) if word.encode() + b"(" in source.data)
        for source, match, _ in places(_BY_TEXT, sources):
            yield reads(group.name, source, match.start())
            return


def _own_name(group: Group, program: Program) -> Iterator[Doubt]:
    """Doubts about places that read the name of the class or function."""
    kind = parse_symbol(group.symbol).kind
    if kind not in (Suffix.TYPE, Suffix.METHOD):
        return
    lineage = program.lineage
    family = group.numbers.union(*(lineage.kin(number) for number in group.numbers))
    inside = {(body.path, body.node.start_byte) for body in program.bodies(family)}
    given = None
    for source in program.python("name__"):
        for asked in asked_in(source):
            around = next((outer for outer in above(asked.node) if outer.type in CLASSES), None)
            if asked.is_of(group.name):
                reaches = True
            elif asked.by_self and around is not None:
                reaches = kind is Suffix.TYPE and (source.path, around.start_byte) in inside
            elif asked.of_an_object:
                reaches = kind is Suffix.TYPE
            else:
                given = _is_given(group, program) if given is None else given
                reaches = given or (kind is Suffix.TYPE and _BELOW in source.data)
            if reaches:
                yield reads(group.name, source, asked.at)
                return


def _is_given(group: Group, program: Program) -> bool:
    """Whether a class or function is stored or passed on: its receiver may read its name."""
    return any(is_handed_on(each, path, program.source_of) for path, each in program.uses(group.numbers))
