"""Dart: all that is known of it."""

import re
from collections.abc import Iterable
from functools import cached_property

from cairn.languages.grammar import Grammar
from cairn.languages.imports import EVERYTHING, Binding
from cairn.languages.modules.rules import Relative
from cairn.languages.modules.tree import MANY, NOWHERE, Target, Tree, join, nearest, parent, under
from cairn.languages.record import NAME_LAST, OBJECT_MEMBERS, Customs, HeadRules, Language


def _public(name: str, _head: str) -> bool:
    return not name.startswith("_")


_SIGNATURES = """[
    (function_signature name: (identifier) @name)
    (getter_signature name: (identifier) @name)
    (setter_signature name: (identifier) @name)
    (operator_signature (binary_operator) @name)]"""
_CONSTRUCTORS = """[
    (constructor_signature name: (identifier) @name .)
    (constructor_signature name: (identifier) @name . parameters: (_))
    (constant_constructor_signature (identifier) @name . (formal_parameter_list))
    (factory_constructor_signature (identifier) @name . (formal_parameter_list))
    (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))]"""
_VARIABLE = "(initialized_identifier_list (initialized_identifier . (identifier) @name))"
_CONSTANT = "(static_final_declaration_list (static_final_declaration . (identifier) @name))"

GRAMMAR = Grammar(
    "tree-sitter-dart==0.1.0",
    exported=_public,
    query=f"""
        (class_definition name: (identifier) @name) @definition.class
        (mixin_declaration (identifier) @name) @definition.trait
        (enum_declaration name: (identifier) @name) @definition.enum
        (enum_constant name: (identifier) @name) @definition.constant
        (extension_declaration class: (type_identifier) @name) @scope
        (type_alias . (type_identifier) @name) @definition.type
        (program [
            (function_signature name: (identifier) @name)
            (getter_signature name: (identifier) @name)
            (setter_signature name: (identifier) @name)] @definition.function . (function_body)? @body)
        (program {_CONSTANT} @definition.constant)
        (program {_VARIABLE} @definition.variable)
        (class_body (method_signature {_CONSTRUCTORS}) @definition.constructor . (function_body)? @body)
        (declaration {_CONSTRUCTORS}) @definition.constructor
        (class_body (method_signature {_SIGNATURES}) @definition.method . (function_body)? @body)
        (extension_body (method_signature {_SIGNATURES}) @definition.method . (function_body)? @body)
        (enum_body (method_signature {_SIGNATURES}) @definition.method . (function_body)? @body)
        (declaration {_SIGNATURES}) @definition.method
        (declaration {_VARIABLE}) @definition.field
        (declaration {_CONSTANT}) @definition.constant
        ((identifier) @name . (selector (argument_part)) @call)
        ((selector [
            (unconditional_assignable_selector (identifier) @name)
            (conditional_assignable_selector (identifier) @name)]) . (selector (argument_part)) @call)
        (import_specification (configurable_uri (uri) @source)) @import
        (library_export (configurable_uri (uri) @source)) @import
        (part_directive (uri) @source) @import
        (part_of_directive (uri) @source) @import
        (documentation_comment) @comment
        (comment) @comment
        (annotation) @attribute
    """,
)


def bindings(statement: str, _source: str, _before: str) -> Iterable[Binding]:
    """What an `import` or `export` binds."""
    alias = re.search(r"\bas\s+(\w+)", statement)
    if alias:
        return [Binding("", alias[1])]
    shown = re.search(r"\bshow\s+([\w\s,]+)", statement)
    if shown:
        return [Binding(name.strip(), name.strip()) for name in shown[1].split(",") if name.strip()]
    return [Binding(EVERYTHING, EVERYTHING)]


_NAME = re.compile(r"^name:[ \t]*[\"']?(\w+)", re.MULTILINE)


class Dart:
    """Relative paths, and `package:` with the name that a pubspec.yaml gives."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._relative = Relative(tree)

    def resolve(self, importer: str, source: str) -> Target:
        scheme, colon, path = source.partition(":")
        if not colon:
            return self._relative.resolve(importer, source)
        name, _, inner = path.partition("/")
        homes = self._homes.get(name, ())
        if scheme != "package" or not inner or len(homes) > MANY:
            return NOWHERE
        tried = (join(under(home, "lib"), inner) for home in homes)
        found = nearest(importer, (each for each in tried if each is not None and each in self._tree.files))
        return Target(found, len(homes) == 1) if found else NOWHERE

    @cached_property
    def _homes(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path in self._tree.named("pubspec.yaml"):
            name = _NAME.search((self._tree.text(path) or "")[:100_000])
            if name is not None:
                found.setdefault(name[1], []).append(parent(path))
        return {name: tuple(homes) for name, homes in found.items()}


LANGUAGE = Language(
    name="dart",
    grammar=GRAMMAR,
    bindings=bindings,
    modules=Dart,
    customs=Customs(sees_members=True, members=OBJECT_MEMBERS),
    heads=HeadRules(order=NAME_LAST),
)
