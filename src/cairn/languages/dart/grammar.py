"""Dart: a function's signature and body stand side by side."""

from cairn.languages.grammar import Grammar


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
    package="tree-sitter-dart",
    version="0.1.0",
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
