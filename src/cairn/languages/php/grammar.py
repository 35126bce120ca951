"""PHP."""

from cairn.languages.grammar import Grammar
from cairn.languages.java.grammar import unless_hidden_by

GRAMMAR = Grammar(
    package="tree-sitter-php",
    version="0.25.1",
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
