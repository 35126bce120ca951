"""Go."""

from cairn.languages.grammar import Grammar, upper_case

GRAMMAR = Grammar(
    package="tree-sitter-go",
    version="0.25.0",
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
