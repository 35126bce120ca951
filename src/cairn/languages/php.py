"""PHP: all that is known of it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from cairn.languages.grammar import Grammar
from cairn.languages.imports import EVERYTHING, Binding, last_part, renamed
from cairn.languages.java import unless_hidden_by
from cairn.languages.modules.documents import json_object, mapping, texts
from cairn.languages.modules.tree import NOWHERE, Target, Tree, join, nearest, parent, under
from cairn.languages.record import NAME_LAST, Customs, HeadRules, Language, Naming
from cairn.languages.scoping import Scoping, words

GRAMMAR = Grammar(
    "tree-sitter-php==0.25.1",
    function="language_php",
    exported=unless_hidden_by("private"),
    query="""
        (namespace_definition name: (namespace_name) @name body: (_)) @definition.module
        (class_declaration name: (name) @name) @definition.class
        (interface_declaration name: (name) @name) @definition.interface
        (trait_declaration name: (name) @name) @definition.trait
        (enum_declaration name: (name) @name) @definition.enum
        (enum_case name: (name) @name) @definition.constant
        (function_definition name: (name) @name) @definition.function
        (method_declaration name: (name) @name (#eq? @name "__construct")) @definition.constructor
        (method_declaration name: (name) @name) @definition.method
        (class_declaration name: (name) @container body: (declaration_list (method_declaration
            parameters: (formal_parameters (property_promotion_parameter
                name: (variable_name (name) @name)) @definition.property))))
        (property_declaration (property_element name: (variable_name (name) @name))) @definition.property
        (const_declaration (const_element . (name) @name)) @definition.constant
        (function_call_expression function: (name) @_define
            arguments: (arguments . (argument (string (string_content) @name)))
            (#eq? @_define "define")) @definition.constant
        (program (expression_statement (assignment_expression left: (variable_name (name) @name)
            right: [(anonymous_function) (arrow_function)])) @definition.function)
        (function_call_expression function: [(name) @name (qualified_name (name) @name .)]) @call
        (member_call_expression name: (name) @name) @call
        (nullsafe_member_call_expression name: (name) @name) @call
        (scoped_call_expression name: (name) @name) @call
        (object_creation_expression [(name) @name (qualified_name (name) @name .)]) @call
        (namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @source)) @import
        (namespace_use_declaration (namespace_name) @source body: (namespace_use_group)) @import
        ([(require_expression [(string (string_content) @source) (encapsed_string . (string_content) @source .)])
          (require_once_expression [
            (string (string_content) @source) (encapsed_string . (string_content) @source .)])
          (include_expression [(string (string_content) @source) (encapsed_string . (string_content) @source .)])
          (include_once_expression [
            (string (string_content) @source) (encapsed_string . (string_content) @source .)])] @import)
        ([(require_expression (binary_expression left: (_) @source right: [(string) (encapsed_string)] @source))
          (require_once_expression
            (binary_expression left: (_) @source right: [(string) (encapsed_string)] @source))
          (include_expression (binary_expression left: (_) @source right: [(string) (encapsed_string)] @source))
          (include_once_expression
            (binary_expression left: (_) @source right: [(string) (encapsed_string)] @source))] @import)
        (comment) @comment
    """,
)


def bindings(statement: str, source: str, before: str) -> Iterable[Binding]:
    """What a `use`, `include` or `require` binds."""
    if not statement.lstrip().startswith("use"):
        return [Binding(EVERYTHING, EVERYTHING)]
    group = re.search(r"\{([^{}]*)\}", statement)
    if group:
        parts = (re.sub(r"^\s*(?:function|const)\s+", "", part) for part in group[1].split(",") if part.strip())
        found = (renamed(part) for part in parts)
        return [Binding(name.replace("\\", "."), local.rpartition("\\")[2]) for name, local in found]
    match = re.search(rf"{re.escape(source)}\s+as\s+(\w+)", statement)
    return [Binding("", match[1])] if match else last_part(source, source, before)


SCOPING = Scoping(
    functions=words("function_definition method_declaration anonymous_function arrow_function"),
    spaces=words("class_declaration interface_declaration trait_declaration enum_declaration"),
    opaque=words("function_definition method_declaration anonymous_function class_declaration"),
    variables="variable_name",
    hoisted=True,
)

OTHER_THIS = re.compile(r"\bnew\s+class\b")
BUILTINS = frozenset(
    (
        "array_filter array_keys array_map array_merge count define defined empty explode file_get_contents "
        "function_exists implode in_array is_array is_string isset json_decode json_encode preg_match "
        "preg_replace printf sprintf str_replace strlen strpos strtolower substr trim unset"
    ).split()
)

_MAX_FOLDERS = 64
"""For one prefix."""
_BUILT = re.compile(r"(?P<start>.*?)\s*\.\s*[\"'](?P<path>[^\"'${}]+)[\"']?", re.DOTALL)
"""A path that is put together, its last part a plain text."""
_HERE = re.compile(r"(?P<ups>(?:dirname\s*\(\s*)*)(?P<what>__DIR__|__FILE__)[\s)]*")
"""What stands for the folder or the file that it is written in, or for what is above it."""
_FILES = (".php", ".inc", ".phtml", ".php5")


class Php:
    """Namespaces, and files that are included by their paths."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def resolve(self, importer: str, source: str) -> Target:
        built = _BUILT.fullmatch(source)
        if built is not None:
            return self._built(importer, built["start"], built["path"])
        if "\\" not in source and ("/" in source or source.endswith(_FILES)):
            return self._included(importer, source)
        parts = tuple(part for part in source.split("\\") if part)
        if not all(part.replace("_", "a").isalnum() for part in parts):
            return NOWHERE
        return self._autoloaded(importer, parts) or self._guessed(importer, parts)

    def _built(self, importer: str, start: str, path: str) -> Target:
        here = _HERE.fullmatch(start)
        if here is None:
            return self._included(importer, path)
        folder = importer if here["what"] == "__FILE__" else parent(importer)
        for _ in range(here["ups"].count("dirname")):
            folder = parent(folder)
        found = join(folder, path.lstrip("/")) if path.startswith("/") else None
        return Target((found,), True) if found is not None and found in self._tree.files else NOWHERE

    def _included(self, importer: str, source: str) -> Target:
        beside = join(parent(importer), source)
        plain = join("", source) if ".." not in source.split("/") else None
        found = self._tree.ending(plain) if plain else ()
        if beside is not None and beside in self._tree.files:
            # What stood before the path (a constant) is not known, so another file may be meant.
            others = tuple(path for path in found if path != beside)
            explicit = source.startswith(("./", "../", "/../", "/./"))
            return Target((beside, *nearest(importer, others)), explicit or not others)
        return Target(nearest(importer, found), False) if found else NOWHERE

    def _autoloaded(self, importer: str, parts: tuple[str, ...]) -> Target | None:
        for length in range(len(parts), -1, -1):
            bases = self._prefixes.get(parts[:length], ())
            inner = "/".join(parts[length:])
            found = [path for base in bases if inner and (path := under(base, f"{inner}.php")) in self._tree.files]
            if found:
                return Target(nearest(importer, found), len(found) == 1)
            folders = [folder for base in bases if self._tree.inside(folder := under(base, inner), ".php")]
            if folders:
                # A namespace before a group of names.
                return Target(tuple(path for each in folders for path in self._tree.inside(each, ".php")), False)
        return None

    def _guessed(self, importer: str, parts: tuple[str, ...]) -> Target:
        """Folders named like the namespace, without the vendor's part of it if need be."""
        for start in range(len(parts) - 1):
            found = self._tree.ending("/".join(parts[start:]) + ".php")
            if found:
                return Target(nearest(importer, found), False)
        return NOWHERE

    @cached_property
    def _prefixes(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        found: dict[tuple[str, ...], dict[str, None]] = {}
        for path in self._tree.named("composer.json"):
            for prefix, folder in _psr4(json_object(self._tree.text(path))):
                base = join(parent(path), folder)
                if base is not None:
                    found.setdefault(tuple(part for part in prefix.split("\\") if part), {})[base] = None
        return {prefix: tuple(bases)[:_MAX_FOLDERS] for prefix, bases in found.items()}


def _psr4(data: dict[str, object]) -> Iterator[tuple[str, str]]:
    for section in ("autoload", "autoload-dev"):
        for prefix, folders in mapping(mapping(data.get(section)).get("psr-4")).items():
            for folder in texts(folders):
                yield prefix, folder


_TRAITS = re.compile(r"(?:^|[{};])[ \t]*use[ \t]+(?P<bases>\\?\w[\w\\]*(?:\s*,\s*\\?\w[\w\\]*)*)\s*[;{]", re.MULTILINE)

_NAMESPACE = re.compile(r"^[ \t]*namespace[ \t]+([\w\\]+)", re.MULTILINE)


def _of_package(_path: str, qualified: str, said: Callable[[], str], parts: Sequence[str]) -> bool:
    """What a file defines in a namespace that it names: where nothing says how files are loaded, any may be loaded."""
    return qualified in (parts[-1], ".".join(parts)) and "\\".join(parts[:-1]) in _NAMESPACE.findall(said())


LANGUAGE = Language(
    name="php",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Php,
    customs=Customs(
        constructors=frozenset({"__construct"}),
        selves=frozenset({"$this", "self", "static"}),
        parents=frozenset({"parent"}),
        makers=frozenset({"parent", "self", "static"}),
        any_file=True,
        overloads=True,
        paths_to_names=True,
        of_package=_of_package,
        passes_on=True,
        retyped=True,
        arrows=True,
        joint="\\",
        other_this=OTHER_THIS,
        other_members=OTHER_THIS,
        builtins=BUILTINS,
    ),
    heads=HeadRules(order=NAME_LAST, closed_values=True, joins=_TRAITS),
    naming=Naming(dollar=True),
)
