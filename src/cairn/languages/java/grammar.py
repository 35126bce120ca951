"""Java."""

import re

from cairn.languages.grammar import Exported, Grammar

_WORD = re.compile(r"\w+")


def unless_hidden_by(word: str) -> Exported:
    """Exported unless a word stands before the name itself; one before a parameter or a setter isn't meant."""
    pattern = re.compile(rf"\b{word}\b([^()]*)")
    return lambda name, head: not any(name in _WORD.findall(rest[1]) for rest in pattern.finditer(head))


GRAMMAR = Grammar(
    package="tree-sitter-java",
    version="0.23.5",
    exported=unless_hidden_by("private"),
    query="""
        (class_declaration name: (identifier) @name) @definition.class
        (record_declaration name: (identifier) @name) @definition.class
        (record_declaration parameters: (formal_parameters
            (formal_parameter name: (identifier) @name) @definition.field))
        (interface_declaration name: (identifier) @name) @definition.interface
        (annotation_type_declaration name: (identifier) @name) @definition.interface
        (annotation_type_element_declaration name: (identifier) @name) @definition.method
        (enum_declaration name: (identifier) @name) @definition.enum
        (enum_constant name: (identifier) @name) @definition.constant
        (module_declaration name: [(identifier) (scoped_identifier)] @name) @definition.module
        (method_declaration name: (identifier) @name) @definition.method
        (constructor_declaration name: (identifier) @name) @definition.constructor
        (compact_constructor_declaration name: (identifier) @name) @definition.constructor
        (field_declaration (modifiers "static" "final")
            declarator: (variable_declarator name: (identifier) @name)) @definition.constant
        (field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
        (constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
        (method_invocation name: (identifier) @name) @call
        (object_creation_expression type: [
            (type_identifier) @name
            (scoped_type_identifier (type_identifier) @name .)
            (generic_type [(type_identifier) @name (scoped_type_identifier (type_identifier) @name .)])]) @call
        (method_reference (identifier) @name .) @call
        (import_declaration [(scoped_identifier) (identifier)] @source) @import
        (line_comment) @comment
        (block_comment) @comment
    """,
)
