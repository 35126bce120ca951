"""C."""

from cairn.languages.grammar import Grammar, unless_said

_FUNCTION = "(function_declarator declarator: (identifier) @name)"
_FUNCTIONS = f"""[
    {_FUNCTION}
    (pointer_declarator declarator: {_FUNCTION})
    (pointer_declarator declarator: (pointer_declarator declarator: {_FUNCTION}))
    (function_declarator declarator: (parenthesized_declarator [
        (identifier) @name (pointer_declarator declarator: {_FUNCTION})]))]"""
_VARIABLE = """[
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator
        (pointer_declarator declarator: (identifier) @name)))]"""
_DECLARATIONS = f"""
    (declaration declarator: {_FUNCTIONS}) @definition.function
    (declaration declarator: {_VARIABLE}) @definition.variable
    (declaration declarator: (init_declarator declarator: {_VARIABLE})) @definition.variable"""
_AT_TOP = "\n".join(
    f"({parent} [{_DECLARATIONS}])"
    for parent in (
        "translation_unit",
        "declaration_list",
        "preproc_ifdef",
        "preproc_if",
        "preproc_elif",
        "preproc_else",
    )
)
NOT_NAMES = frozenset("do else for if return sizeof switch while".split())
"""What a broken text may make a function of."""

GRAMMAR = Grammar(
    package="tree-sitter-c",
    version="0.24.2",
    exported=unless_said("static"),
    reserved=NOT_NAMES,
    query=f"""
        (function_definition declarator: {_FUNCTIONS}) @definition.function
        (function_definition declarator: (parenthesized_declarator (identifier) @name)) @definition.function
        (ERROR [{_FUNCTION} (pointer_declarator declarator: {_FUNCTION})] @definition.function)
        (ERROR (declaration declarator: {_FUNCTIONS}) @definition.function)
        {_AT_TOP}
        (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
        (union_specifier name: (type_identifier) @name body: (_)) @definition.struct
        (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
        (enumerator name: (identifier) @name) @definition.constant
        (field_declaration declarator: [
            (field_identifier) @name
            (pointer_declarator declarator: (field_identifier) @name)
            (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
            (array_declarator declarator: (field_identifier) @name)
            (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
            (pointer_declarator declarator: (pointer_declarator
                declarator: (array_declarator declarator: (field_identifier) @name)))
            (function_declarator declarator: (parenthesized_declarator
                (pointer_declarator declarator: (field_identifier) @name)))]) @definition.field
        (type_definition type: [(struct_specifier !name) (union_specifier !name)]
            declarator: (type_identifier) @name) @definition.struct
        (type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @definition.enum
        (type_definition
            type: [
                (struct_specifier name: (_) @_tag)
                (union_specifier name: (_) @_tag)
                (enum_specifier name: (_) @_tag)]
            declarator: (type_identifier) @name @definition.type (#not-eq? @_tag @name))
        (type_definition type: [(primitive_type) (sized_type_specifier) (type_identifier) (macro_type_specifier)]
            declarator: [
                (type_identifier) @name
                (pointer_declarator declarator: (type_identifier) @name)
                (array_declarator declarator: (type_identifier) @name)]) @definition.type
        (type_definition declarator: [
            (function_declarator declarator: (parenthesized_declarator
                (pointer_declarator declarator: (type_identifier) @name)))
            (function_declarator declarator: (type_identifier) @name)
            (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
                (pointer_declarator declarator: (type_identifier) @name))))]) @definition.type
        (preproc_def name: (identifier) @name value: (_)) @definition.macro
        (preproc_function_def name: (identifier) @name) @definition.macro
        (call_expression function: [
            (identifier) @name (field_expression field: (field_identifier) @name)]) @call
        (preproc_include path: [(string_literal) @source (system_lib_string) @source]) @import
        (comment) @comment
    """,
)
