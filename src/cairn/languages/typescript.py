"""TypeScript."""

import re

from cairn.base.values import replace
from cairn.languages.grammar import Grammar
from cairn.languages.javascript import DATA_VALUE, FUNCTION_VALUE, exported, shared
from cairn.languages.javascript import LANGUAGE as JAVASCRIPT
from cairn.languages.record import NAME_FIRST, HeadRules

_MEMBER_NAME = "[(property_identifier) (private_property_identifier)] @name"
_PROMISED = """[
        (property_signature name: (property_identifier) @name) @definition.field
        (method_signature name: (property_identifier) @name) @definition.method]"""

_PROPERTIES = "\n".join(
    f"""({kind} name: (type_identifier) @container body: (class_body (method_definition
        parameters: (formal_parameters ({parameter} [{modifier}] pattern: (identifier) @name) @definition.field))))"""
    for kind in ("class_declaration", "abstract_class_declaration")
    for parameter in ("required_parameter", "optional_parameter")
    for modifier in ('(accessibility_modifier) (override_modifier) "readonly"',)
)
"""Parameters of a constructor that are fields too."""

QUERY = f"""
    (class_declaration name: (type_identifier) @name) @definition.class
    (abstract_class_declaration name: (type_identifier) @name) @definition.class
    (interface_declaration name: (type_identifier) @name) @definition.interface
    (type_alias_declaration name: (type_identifier) @name) @definition.type
    (enum_declaration name: (identifier) @name) @definition.enum
    (enum_body name: (property_identifier) @name @definition.constant)
    (enum_body (enum_assignment name: (property_identifier) @name) @definition.constant)
    (internal_module name: [(identifier) (nested_identifier)] @name) @definition.module
    (module name: [(identifier) @name (nested_identifier) @name (string (string_fragment) @name)]) @definition.module
    (function_signature name: (identifier) @name) @definition.function
    (interface_body {_PROMISED})
    (type_alias_declaration value: [(object_type {_PROMISED}) (intersection_type [
        (object_type {_PROMISED}) (intersection_type (object_type {_PROMISED}))])])
    (class_body [
        (method_signature name: {_MEMBER_NAME}) @definition.method
        (abstract_method_signature name: {_MEMBER_NAME}) @definition.method
        (public_field_definition name: {_MEMBER_NAME} value: {FUNCTION_VALUE}) @definition.method
        (public_field_definition name: {_MEMBER_NAME} value: {DATA_VALUE}) @definition.field
        (public_field_definition name: {_MEMBER_NAME} !value) @definition.field])
    {_PROPERTIES}
    (ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant)
    (internal_module body: (statement_block (export_statement (lexical_declaration
        (variable_declarator name: (identifier) @name value: {DATA_VALUE})) @definition.constant)))
    (import_require_clause source: (string) @source) @import
    (call_expression function: [
        (await_expression [(identifier) @name (member_expression property: (property_identifier) @name)])
        (non_null_expression [(identifier) @name (member_expression property: (property_identifier) @name)])]) @call
    {shared("(as_expression) (satisfies_expression) (non_null_expression) (type_assertion)")}
"""


_TYPED = rb"[A-Za-z_$][\w$]*(?:,|>\s*\(|\s*=[^=>]|\s+extends\b)"
_MENDS = (
    # A signature without a name, behind one that no `;` ends: `get(): T`, then `<U>(): U`.
    (re.compile(rb"^([ \t]*)[ \t](?=<(?:(?:const\s+)?%s|\s*$))" % _TYPED, re.MULTILINE), rb"\1;"),
    # All types of a module.
    (re.compile(rb"^([ \t]*export[ \t]+)type(?=[ \t]+\*)", re.MULTILINE), rb"\1    "),
)


def grammar(function: str, query: str) -> Grammar:
    """What TypeScript with and without JSX share."""
    return Grammar(
        "tree-sitter-typescript==0.23.2",
        function=function,
        wrappers=frozenset({"export_statement", "ambient_declaration"}),
        exported=exported,
        query=query,
        mends=_MENDS,
    )


LANGUAGE = replace(
    JAVASCRIPT,
    name="typescript",
    grammar=grammar("language_typescript", QUERY),
    kin="javascript",
    customs=replace(JAVASCRIPT.customs, other_members=None, merged=True, types_apart=True),
    heads=HeadRules(
        order=NAME_FIRST,
        transparent="Readonly|Partial|Required|NonNullable|Pick|Omit",
        awaited="Promise|PromiseLike",
        awaited_own=JAVASCRIPT.heads.awaited_own,
    ),
    naming=replace(JAVASCRIPT.naming, capital_tells=False, corners=("of_an_element", "listed_in_enum", "types_apart")),
)
