"""Swift."""

from cairn.languages.grammar import Grammar
from cairn.languages.java.grammar import unless_hidden_by

_PROPERTY = "property_declaration name: (pattern bound_identifier: (simple_identifier) @name)"

GRAMMAR = Grammar(
    package="tree-sitter-swift",
    version="0.7.4",
    bodies=frozenset({"body", "computed_value"}),
    exported=unless_hidden_by("(?:private|fileprivate)"),
    query=f"""
        (class_declaration "class" name: (type_identifier) @name) @definition.class
        (class_declaration "actor" name: (type_identifier) @name) @definition.class
        (class_declaration "struct" name: (type_identifier) @name) @definition.struct
        (class_declaration "enum" name: (type_identifier) @name) @definition.enum
        (class_declaration "extension" name: (user_type (type_identifier) @name .)) @scope
        (protocol_declaration name: (type_identifier) @name) @definition.interface
        (protocol_function_declaration name: (simple_identifier) @name) @definition.method
        (protocol_property_declaration name: (pattern
            bound_identifier: (simple_identifier) @name)) @definition.property
        (typealias_declaration name: (type_identifier) @name) @definition.type
        (associatedtype_declaration name: (type_identifier) @name) @definition.type
        (enum_entry name: (simple_identifier) @name) @definition.constant
        (function_declaration name: (simple_identifier) @name) @definition.function
        (init_declaration "init" @name) @definition.constructor
        (subscript_declaration "subscript" @name) @definition.property
        (macro_declaration (simple_identifier) @name) @definition.macro
        (source_file ({_PROPERTY}) @definition.variable)
        (class_body ({_PROPERTY}) @definition.property)
        (enum_class_body ({_PROPERTY}) @definition.property)
        (call_expression . (simple_identifier) @name) @call
        (call_expression . (navigation_expression
            suffix: (navigation_suffix suffix: (simple_identifier) @name))) @call
        (import_declaration (identifier) @source) @import
        (comment) @comment
        (multiline_comment) @comment
    """,
)
