"""Scala 2 and 3."""

from cairn.languages.grammar import Grammar
from cairn.languages.java.grammar import unless_hidden_by
from cairn.languages.record import Language


def _values(body: str, val_kind: str, var_kind: str) -> str:
    return f"""
        ({body} [
            (val_definition pattern: (identifier) @name) @definition.{val_kind}
            (val_declaration name: (identifier) @name) @definition.{val_kind}
            (var_definition pattern: (identifier) @name) @definition.{var_kind}
            (var_declaration name: (identifier) @name) @definition.{var_kind}])
    """


_GRAMMAR = Grammar(
    package="tree-sitter-scala",
    version="0.26.3",
    exported=unless_hidden_by(r"private(?:\[this\])?(?!\[)"),
    query=f"""
        (package_object name: (identifier) @name) @definition.module
        (class_definition name: (identifier) @name) @definition.class
        (object_definition name: (identifier) @name) @definition.class
        (trait_definition name: (identifier) @name) @definition.trait
        (enum_definition name: (identifier) @name) @definition.enum
        (simple_enum_case name: (identifier) @name) @definition.constant
        (full_enum_case name: (identifier) @name) @definition.constant
        (type_definition name: (type_identifier) @name) @definition.type
        (given_definition name: (identifier) @name) @definition.constant
        (extension_definition parameters: (parameters (parameter type: [
            (type_identifier) @name (generic_type type: (type_identifier) @name)]))) @scope
        (function_definition name: (identifier) @name (#eq? @name "this")) @definition.constructor
        (function_definition name: (identifier) @name) @definition.function
        (function_declaration name: (identifier) @name) @definition.function
        (function_definition name: (operator_identifier) @name) @definition.function
        (class_definition "case" class_parameters: (class_parameters
            (class_parameter name: (identifier) @name) @definition.property))
        (class_parameter ["val" "var"] name: (identifier) @name) @definition.property
        {_values("template_body", "property", "property")}
        {_values("with_template_body", "property", "property")}
        {_values("compilation_unit", "constant", "variable")}
        (call_expression function: [
            (identifier) @name
            (field_expression field: (identifier) @name)
            (generic_function function: [
                (identifier) @name (field_expression field: (identifier) @name)])]) @call
        (instance_expression [
            (type_identifier) @name (generic_type type: (type_identifier) @name)]) @call
        (infix_expression operator: (identifier) @name) @call
        (import_declaration . (identifier) @source ("." . (identifier) @source)*) @import
        (comment) @comment
        (block_comment) @comment
    """,
)

LANGUAGE = Language("scala", _GRAMMAR)
