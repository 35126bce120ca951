"""Go: all that is known of it."""

import re
from collections.abc import Iterable
from functools import cached_property

from cairn.languages.grammar import Grammar, upper_case
from cairn.languages.imports import EVERYTHING, Binding
from cairn.languages.modules.documents import MAX_DOCUMENT
from cairn.languages.modules.tree import MANY, NOWHERE, Target, Tree, ancestors, join, nearest, parent, under
from cairn.languages.record import UNDIVIDED, Customs, HeadRules, Language, Naming
from cairn.languages.scoping import Scoping, binders, words

GRAMMAR = Grammar(
    "tree-sitter-go==0.25.0",
    exported=upper_case,
    query="""
        (function_declaration name: (identifier) @name) @definition.function
        (method_declaration
            receiver: (parameter_list (parameter_declaration type: [
                (type_identifier) @container
                (pointer_type (type_identifier) @container)
                (generic_type type: (type_identifier) @container)
                (pointer_type (generic_type type: (type_identifier) @container))]))
            name: (field_identifier) @name) @definition.method
        (type_declaration (type_spec name: (type_identifier) @name type: (struct_type)) @definition.struct)
        (type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface)
        (type_declaration (type_spec name: (type_identifier) @name
            type: [(type_identifier) (function_type) (map_type) (slice_type) (array_type) (pointer_type)
                   (channel_type) (qualified_type) (generic_type)]) @definition.type)
        (type_declaration (type_alias name: (type_identifier) @name) @definition.type)
        (method_elem name: (field_identifier) @name) @definition.method
        (field_declaration name: (field_identifier) @name) @definition.field
        (source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
        (source_file (var_declaration [
            (var_spec name: (identifier) @name) @definition.variable
            (var_spec_list (var_spec name: (identifier) @name) @definition.variable)]))
        (call_expression function: [
            (identifier) @name (selector_expression field: (field_identifier) @name)]) @call
        (import_spec path: (_) @source) @import
        (comment) @comment
    """,
)


def bindings(statement: str, source: str, _before: str) -> Iterable[Binding]:
    """What an `import` binds."""
    alias = statement.partition('"')[0].partition("`")[0].strip()
    if alias == "_":
        return []
    if alias == ".":
        return [Binding(EVERYTHING, EVERYTHING)]
    if alias:
        return [Binding("", alias)]
    parts = [part for part in source.split("/") if part]
    if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]):
        parts.pop()
    last = re.sub(r"\.v\d+$", "", parts[-1]) if parts else ""
    return [Binding("", last.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_"))]


SCOPING = Scoping(
    functions=words("function_declaration method_declaration func_literal function_type method_elem"),
    blocks=words(
        """
        block if_statement for_statement expression_switch_statement type_switch_statement select_statement
        expression_case type_case default_case communication_case type_spec
        """
    ),
    binders=binders(
        block="""
            parameter_declaration.name variadic_parameter_declaration.name short_var_declaration.left var_spec.name
            const_spec.name range_clause.left receive_statement.left type_spec.name type_alias.name
        """,
        own="type_switch_statement.alias",
        types="type_parameter_declaration.name",
    ),
)

TESTS = "_test.go"
_MODULE = re.compile(r"^[ \t]*module[ \t]+[\"`]?([^\s\"`()]+)", re.MULTILINE)
_REPLACE = re.compile(
    r"^[ \t]*(?:replace[ \t]+)?(\S+)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+(\.{1,2}(?:/\S*)?)[ \t]*(?://.*)?$", re.MULTILINE
)


class Go:
    """Packages are folders, named from the path of their module on."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._marked: dict[tuple[str, str], str | None] = {}
        self._packages: dict[str, tuple[str, ...]] = {}

    def resolve(self, importer: str, source: str) -> Target:
        if source.startswith(("./", "../")):
            folder = join(parent(importer), source)
            return self._package(folder, True) if folder is not None else NOWHERE
        parts = source.split("/")
        if not all(part not in ("", ".", "..") for part in parts):
            return NOWHERE
        own = self._above(parent(importer), "go.mod")
        work = self._above(parent(importer), "go.work")
        scopes = [under(each, name) for each, name in ((work, "go.work"), (own, "go.mod")) if each is not None]
        for count in range(len(parts), 0, -1):
            prefix = "/".join(parts[:count])
            inner = "/".join(parts[count:])
            replaced = next(
                (self._replaced[key] for scope in scopes if (key := (scope, prefix)) in self._replaced), None
            )
            if replaced is not None:
                return self._package(under(replaced, inner), True)
            folders = self._modules.get(prefix, ())
            if folders:
                return self._in_modules(importer, own, folders, inner)
        return self._vendored(own, source) if own is not None else self._without_modules(importer, parts)

    def _in_modules(self, importer: str, own: str | None, folders: tuple[str, ...], inner: str) -> Target:
        if own is not None and own in folders:
            return self._package(under(own, inner), True)
        if len(folders) > MANY:
            return NOWHERE
        marks = nearest(importer, (under(folder, "go.mod") for folder in folders))
        for mark in marks:
            target = self._package(under(parent(mark), inner), len(folders) == 1)
            if target.paths:
                return target
        return NOWHERE

    def _vendored(self, own: str, source: str) -> Target:
        return self._package(under(own, f"vendor/{source}"), True)

    def _without_modules(self, importer: str, parts: list[str]) -> Target:
        """A tree from before modules stands somewhere below GOPATH: its own folders end the path."""
        if self._modules or "." not in parts[0]:
            return NOWHERE
        for above in ancestors(parent(importer)):
            vendored = self._package(under(above, "vendor/" + "/".join(parts)), True)
            if vendored.paths:
                return vendored
        for start in range(1, len(parts)):
            target = self._package("/".join(parts[start:]), False)
            if target.paths:
                return target
        return NOWHERE

    def _package(self, folder: str, certain: bool) -> Target:
        found = self._files(folder)
        return Target(found, certain) if found else NOWHERE

    def _files(self, folder: str) -> tuple[str, ...]:
        """A package's files; its tests can't be imported."""
        found = self._packages.get(folder)
        if found is None:
            inside = self._tree.inside(folder, ".go")
            found = self._packages[folder] = tuple(path for path in inside if not path.endswith(TESTS))
        return found

    def _above(self, folder: str, name: str) -> str | None:
        """The nearest folder above that holds a file of that name."""
        key = (folder, name)
        if key not in self._marked:
            marked = (each for each in ancestors(folder) if under(each, name) in self._tree.files)
            self._marked[key] = next(marked, None)
        return self._marked[key]

    @cached_property
    def _modules(self) -> dict[str, tuple[str, ...]]:
        """Folders by the path of the module that stands in them."""
        found: dict[str, list[str]] = {}
        for path in self._tree.named("go.mod"):
            named = _MODULE.search((self._tree.text(path) or "")[:MAX_DOCUMENT])
            if named is not None:
                found.setdefault(named[1].rstrip("/"), []).append(parent(path))
        return {name: tuple(folders) for name, folders in found.items()}

    @cached_property
    def _replaced(self) -> dict[tuple[str, str], str]:
        """By a go.mod or go.work and a module path: the folder that stands in for that module."""
        found: dict[tuple[str, str], str] = {}
        for path in (*self._tree.named("go.mod"), *self._tree.named("go.work")):
            for replaced in _REPLACE.finditer((self._tree.text(path) or "")[:MAX_DOCUMENT]):
                target = join(parent(path), replaced[2])
                if target is not None:
                    found[path, replaced[1]] = target
        return found


_CLAUSE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*package\s+(\w+)", re.DOTALL)

_EMBEDDED = re.compile(
    r"(?:^[ \t]+|\b(?:struct|interface)[ \t]*\{[ \t]*|;[ \t]*)\*?(?P<bases>[^\W\d][\w.]*)(?:\[[^\]\n]*\])?[ \t]*"
    r"(?:`[^`\n]*`)?[ \t]*(?=//|[;}]|$)",
    re.MULTILINE,
)
"""Parts of a type that name another and no field."""

LANGUAGE = Language(
    name="go",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Go,
    customs=Customs(
        protocols=frozenset(
            (
                "As Close Error Flush Format GoString Hijack Is Len Less MarshalBinary MarshalJSON MarshalText Push "
                "Read ReadByte ReadFrom ReadRune RoundTrip Scan Seek ServeHTTP Set String Swap UnmarshalBinary "
                "UnmarshalJSON UnmarshalText UnreadByte UnreadRune Unwrap Value Write WriteByte WriteHeader "
                "WriteString WriteTo"
            ).split()
        ),
        selves=frozenset(),
        parents=frozenset(),
        keyed_by_values=True,
        explained=True,
        values_apart=True,
        types_apart=True,
        sees_package=True,
        clause=_CLAUSE,
        tests=TESTS,
        structural=True,
        scattered=True,
        overloads=True,
    ),
    heads=HeadRules(order=UNDIVIDED, returns_said=True, closed_values=True, square=True, joins=_EMBEDDED),
    naming=Naming(
        capital_exports=True,
        reserved=frozenset({"_", "init", "main", "iota"}),
        proves_locals=True,
        corners=("body_of_a_function", "keyed"),
    ),
)
