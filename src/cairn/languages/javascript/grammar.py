"""JavaScript, and what TypeScript shares with it."""

import re

from cairn.languages.grammar import Grammar

_DECLARED = re.compile(
    r"(?:abstract\s+|async\s+)*(?:class|const|enum|function|interface|let|module|namespace|type|var)[\s*]+[\w$\"']"
)
_DECORATOR = re.compile(r"@[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?\s*")


def exported(name: str, head: str) -> bool:
    """Declarations must be exported by name; members are seen wherever their container is."""
    if name.startswith("#"):
        return False
    bare = _DECORATOR.sub("", head).strip()
    return not (_DECLARED.match(bare) or bare.startswith("private "))


FUNCTION_VALUE = """[
    (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]"""
_CALLED = "(call_expression) (member_expression)"
_COMPUTED = """
    (array) (await_expression) (binary_expression) (false) (new_expression) (null) (number) (object)
    (parenthesized_expression) (regex) (string) (subscript_expression) (template_string) (ternary_expression) (true)
    (unary_expression) (undefined)
"""
DATA_VALUE = f"[{_CALLED} {_COMPUTED} (identifier)]"


def _data(declaration: str, kind: str, extra: str) -> str:
    """Values at the top of a module, without those that only name what is required from another."""
    return f"""
        (program [
            ({declaration} (variable_declarator name: (identifier) @name !value)) @definition.{kind}
            ({declaration} (variable_declarator name: (identifier) @name
                value: [{_COMPUTED} (identifier) {extra}])) @definition.{kind}
            ({declaration} (variable_declarator name: (identifier) @name
                value: [{_CALLED}] @_value) (#not-match? @_value "^require[(]")) @definition.{kind}
            (export_statement ({declaration} (variable_declarator name: (identifier) @name
                !value)) @definition.{kind})
            (export_statement ({declaration} (variable_declarator name: (identifier) @name
                value: [{_CALLED} {_COMPUTED} (identifier) {extra}])) @definition.{kind})])
    """


def shared(extra: str = "") -> str:
    """The patterns of both languages; `extra` are kinds of values that only one has."""
    return (
        _data('lexical_declaration kind: "const"', "constant", extra)
        + _data('lexical_declaration kind: "let"', "variable", extra)
        + _data("variable_declaration", "variable", extra)
        + _SHARED
    )


_SHARED = f"""
    (function_declaration name: (identifier) @name) @definition.function
    (generator_function_declaration name: (identifier) @name) @definition.function
    (lexical_declaration (variable_declarator name: (identifier) @name
        value: {FUNCTION_VALUE})) @definition.function
    (variable_declaration (variable_declarator name: (identifier) @name
        value: {FUNCTION_VALUE})) @definition.function
    (lexical_declaration (variable_declarator name: (identifier) @name value: (class))) @definition.class
    (export_statement "default" @name value: (class)) @definition.class
    (export_statement "default" @name value: {FUNCTION_VALUE}) @definition.function
    (export_statement "default" @name value: (object)) @definition.constant

    (class_body (method_definition name: (property_identifier) @name
        (#eq? @name "constructor")) @definition.constructor)
    (method_definition ["get" "set"] name: [
        (property_identifier) (private_property_identifier)] @name) @definition.property
    (method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method
    (variable_declarator value: (object (pair key: (property_identifier) @name
        value: {FUNCTION_VALUE}) @definition.method))
    (assignment_expression right: (object (pair key: (property_identifier) @name
        value: {FUNCTION_VALUE}) @definition.method))
    (export_statement value: (object (pair key: (property_identifier) @name
        value: {FUNCTION_VALUE}) @definition.method))

    (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
        right: {FUNCTION_VALUE} (#eq? @_module "exports"))) @definition.function
    (expression_statement (assignment_expression
        left: (member_expression
            object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
            property: (property_identifier) @name)
        right: {FUNCTION_VALUE} (#eq? @_module "module") (#eq? @_exports "exports"))) @definition.function
    (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
        right: {FUNCTION_VALUE} (#eq? @_module "module") (#eq? @name "exports"))) @definition.function
    (program (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
        right: [{_COMPUTED}] (#eq? @_module "exports"))) @definition.constant)
    (expression_statement (assignment_expression
        left: (member_expression
            object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype)
            property: (property_identifier) @name)
        right: {FUNCTION_VALUE} (#eq? @_prototype "prototype"))) @definition.method
    (expression_statement (assignment_expression
        left: (member_expression object: (this) property: (property_identifier) @name)
        right: {FUNCTION_VALUE})) @definition.method
    (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @container property: (property_identifier) @name)
        right: {FUNCTION_VALUE}
        (#not-any-of? @container "exports" "module"))) @definition.method

    (call_expression function: [
        (identifier) @name
        (member_expression property: [(property_identifier) (private_property_identifier)] @name)]) @call
    (new_expression constructor: [
        (identifier) @name (member_expression property: (property_identifier) @name)]) @call
    (export_statement !source (export_clause (export_specifier name: (identifier) @exported)))
    (export_statement "default" value: (identifier) @exported)
    (program (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
        right: [
            (identifier) @exported
            (object (shorthand_property_identifier) @exported)
            (object (pair value: (identifier) @exported))]
        (#eq? @_module "module") (#eq? @_exports "exports"))))
    (program (expression_statement (assignment_expression
        left: (member_expression object: [
            (identifier) @_module
            (member_expression object: (identifier) @_module property: (property_identifier) @_exports)])
        right: (identifier) @exported
        (#any-of? @_module "exports" "module") (#any-of? @_exports "exports"))))

    (import_statement source: (string) @source) @import
    (export_statement source: (string) @source) @import
    (call_expression function: (import) arguments: (arguments . (string) @source)) @import
    (call_expression function: (identifier) @_require arguments: (arguments . (string) @source)
        (#eq? @_require "require")) @import
    (comment) @comment
"""

JSX = """
    (jsx_opening_element name: [
        (identifier) @name (member_expression property: (property_identifier) @name)]
        (#match? @name "^[A-Z]")) @call
    (jsx_self_closing_element name: [
        (identifier) @name (member_expression property: (property_identifier) @name)]
        (#match? @name "^[A-Z]")) @call
"""

GRAMMAR = Grammar(
    package="tree-sitter-javascript",
    version="0.25.0",
    wrappers=frozenset({"export_statement"}),
    exported=exported,
    query=f"""
        (class_declaration name: (identifier) @name) @definition.class
        (class_body (field_definition
            property: [(property_identifier) (private_property_identifier)] @name
            value: {FUNCTION_VALUE}) @definition.method)
        (class_body (field_definition
            property: [(property_identifier) (private_property_identifier)] @name
            value: {DATA_VALUE}) @definition.field)
        (class_body (field_definition
            property: [(property_identifier) (private_property_identifier)] @name !value) @definition.field)
        {shared()}
        {JSX}
    """,
)
