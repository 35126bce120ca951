"""The statements by which a file takes names from other modules, and how they are written anew: Python, JavaScript."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.source.file import SourceFile

EVERYTHING = "*"
_PYTHON = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
_SCRIPT = frozenset({"import_statement", "export_statement"})
_FUNCTIONS = frozenset(
    """
    function_definition lambda function_declaration function_expression arrow_function method_definition
    generator_function generator_function_declaration
    """.split()
)
_IN_BRACES = re.compile(rb"\s*,\s*\{[^{}]*\}")
_CHECKING = re.compile(rb"(?:\w+\.)*TYPE_CHECKING")


@dataclass(frozen=True, slots=True)
class ImportedName:
    """One name of a statement."""

    name: str
    """As the other module calls it; empty for the module itself, `*` for all of its names, `default`."""
    local: str
    """As it is called here; empty where it is only handed on."""
    start: int
    end: int
    """The bytes of what stands for it."""
    types: bool = False
    """Whether it is gone when the program runs."""


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """One statement, with what it takes from one module."""

    start: int
    end: int
    module: str
    """As it is written, without quotes."""
    module_start: int
    names: tuple[ImportedName, ...]
    exports: bool = False
    """Whether it hands on what it takes: `export { name } from`."""
    types: bool = False
    """Whether it is gone when the program runs: `import type`, or below `if TYPE_CHECKING`."""
    late: bool = False
    """Whether it stands in a function."""
    always: bool = True
    """Whether it stands at the top, below no condition but TYPE_CHECKING."""
    plain: bool = False
    """Python's `import module`, as opposed to `from`."""

    @property
    def module_end(self) -> int:
        """Where the name of the module ends."""
        return self.module_start + len(self.module.encode())


def statements(source: SourceFile) -> tuple[ImportStatement, ...]:
    """All statements of a file, in order."""
    return source.once(_statements)


def _statements(source: SourceFile) -> tuple[ImportStatement, ...]:
    if source.root is None:
        return ()
    kinds, read = (_PYTHON, _python) if source.language == "python" else (_SCRIPT, _script)
    return tuple(found for node in _nodes(source.root, kinds) for found in read(node))


def _nodes(node: Any, kinds: frozenset[str]) -> Iterator[Any]:
    for child in node.children:
        if child.type in kinds:
            yield child
        if child.type != "import_statement":
            yield from _nodes(child, kinds)


def _around(node: Any) -> Iterator[Any]:
    while (node := node.parent) is not None:
        yield node


def _python(node: Any) -> Iterator[ImportStatement]:
    around = list(_around(node))
    late = any(each.type in _FUNCTIONS for each in around)
    checked = [each for each in around if each.type == "if_statement"]
    types = any(_CHECKING.fullmatch(each.child_by_field_name("condition").text) for each in checked)
    others = [each for each in around if each.type not in ("module", "block", "if_statement")]
    where: dict[str, Any] = {"late": late, "types": types, "always": not others and (not checked or types)}
    if node.type == "import_statement":
        for each in node.children_by_field_name("name"):
            module = each.child_by_field_name("name") if each.type == "aliased_import" else each
            alias = each.child_by_field_name("alias") if each.type == "aliased_import" else None
            local = alias.said if alias is not None else module.said.partition(".")[0]
            name = ImportedName("", local, each.start_byte, each.end_byte, types)
            yield ImportStatement(
                node.start_byte, node.end_byte, module.said, module.start_byte, (name,), plain=True, **where
            )
        return
    module = node.child_by_field_name("module_name")
    names = []
    for each in node.children:
        if each.type == "wildcard_import":
            names.append(ImportedName(EVERYTHING, EVERYTHING, each.start_byte, each.end_byte, types))
        elif each.field == "name":
            inner = each.child_by_field_name("name") if each.type == "aliased_import" else each
            alias = each.child_by_field_name("alias") if each.type == "aliased_import" else inner
            names.append(ImportedName(inner.said, alias.said, each.start_byte, each.end_byte, types))
    if module is None:  # from __future__
        yield ImportStatement(node.start_byte, node.end_byte, "__future__", node.start_byte + 5, tuple(names), **where)
    else:
        yield ImportStatement(node.start_byte, node.end_byte, module.said, module.start_byte, tuple(names), **where)


def _script(node: Any) -> Iterator[ImportStatement]:
    said = node.child_by_field_name("source")
    if said is None:
        return
    exports = node.type == "export_statement"
    types = any(child.type == "type" for child in node.children)
    names = tuple(_script_names(node, exports, types))
    always = node.parent is not None and node.parent.type == "program"
    module = said.said.strip("\"'")
    yield ImportStatement(
        node.start_byte, node.end_byte, module, said.start_byte + 1, names, exports, types, not always, always
    )


def _script_names(node: Any, exports: bool, types: bool) -> Iterator[ImportedName]:
    for child in node.children:
        if child.type == "*":
            yield ImportedName(EVERYTHING, "", child.start_byte, child.end_byte, types)
        elif child.type == "namespace_export":
            yield ImportedName("", "", child.start_byte, child.end_byte, types)
        elif child.type == "namespace_import":
            local = next((each.said for each in child.children if each.type == "identifier"), "")
            yield ImportedName("", local, child.start_byte, child.end_byte, types)
        elif child.type == "identifier":
            yield ImportedName("default", child.said, child.start_byte, child.end_byte, types)
        elif child.type in ("import_specifier", "export_specifier"):
            name = child.child_by_field_name("name")
            alias = child.child_by_field_name("alias") or name
            own = types or any(each.type == "type" for each in child.children)
            local = "" if exports else alias.said
            yield ImportedName(name.said, local, child.start_byte, child.end_byte, own)
        elif child.type in ("import_clause", "named_imports", "export_clause"):
            yield from _script_names(child, exports, types)


def without(data: bytes, statement: ImportStatement, gone: Collection[ImportedName]) -> str:
    """The text of a statement without some of its names, of which some are left."""
    braces = _IN_BRACES.search(data, statement.start, statement.end)
    within = [each for each in statement.names if braces is not None and braces.start() < each.start < braces.end()]
    if braces is not None and within and all(each in gone for each in within):
        # `import whole, { name } from`: the braces go with what they hold.
        return (data[statement.start : braces.start()] + data[braces.end() : statement.end]).decode("utf-8", "replace")
    parts, done = [], statement.start
    for at, name in enumerate(statement.names):
        if name in gone:
            rest = [each for each in statement.names[at:] if each not in gone]
            start = name.start if rest else statement.names[at - 1].end
            parts.append(data[done : max(done, start)])
            done = statement.names[at + 1].start if rest else name.end
    return b"".join((*parts, data[done : statement.end])).decode("utf-8", "replace")


def parted(source: SourceFile, statement: ImportStatement, name: ImportedName, module: str) -> str:
    """The text of a statement that takes one of its names from another module; the rest it takes as before."""
    data = source.data
    if len(statement.names) == 1:
        before, after = data[statement.start : statement.module_start], data[statement.module_end : statement.end]
        return before.decode("utf-8", "replace") + module + after.decode("utf-8", "replace")
    said = data[name.start : name.end].decode("utf-8", "replace")
    return f"{without(data, statement, [name])}{between(data, statement)}{alone(source, statement, said, module)}"


def alone(source: SourceFile, statement: ImportStatement, said: str, module: str) -> str:
    """A statement like another one, for one name as it is written there."""
    if source.language == "python":
        return f"from {module} import {said}"
    text = source.data[statement.start : statement.end].decode("utf-8", "replace")
    types = re.match(r"(?:import|export)\s+type\b", text) is not None
    word = "export" if statement.exports else "import"
    return written(source, [said], module, types=types, word=word)


def between(data: bytes, statement: ImportStatement) -> str:
    """What parts a statement from the next one of its block."""
    before = data[data.rfind(b"\n", 0, statement.start) + 1 : statement.start]
    return "; " if before.strip() else "\n" + before.decode("utf-8", "replace")


def written(
    source: SourceFile | None, names: Sequence[str], module: str, *, types: bool = False, word: str = "import"
) -> str:
    """A new statement of JavaScript for names, each as it stands in one, in the customs of a file."""
    scripts = [each for each in statements(source) if each.names] if source is not None else []
    text = source.data[scripts[0].start : scripts[0].end].decode("utf-8", "replace") if source and scripts else '";'
    quote, end = "'" if "'" in text else '"', ";" if text.endswith(";") else ""
    return f"{word} {'type ' if types else ''}{{ {', '.join(names)} }} from {quote}{module}{quote}{end}"


def inner_module(statement: ImportStatement, name: ImportedName) -> str:
    """The module that a name may be: `from package import module`."""
    if statement.plain or not name.name:
        return statement.module
    return statement.module + ("" if statement.module.endswith(".") else ".") + name.name
