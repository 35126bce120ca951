"""C: all that is known of it."""

from cairn.languages.grammar import Grammar, unless_said
from cairn.languages.imports import everything
from cairn.languages.modules.rules import Includes
from cairn.languages.record import BEHIND_COLON, NAME_LAST, Customs, HeadRules, Language
from cairn.languages.scoping import Scoping, binders, words

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

TYPEDEFS = """(type_definition type: [(struct_specifier !name) (union_specifier !name)]
            declarator: (type_identifier) @name) @definition.struct
        (type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @definition.enum
        (type_definition
            type: [
                (struct_specifier name: (_) @_tag)
                (union_specifier name: (_) @_tag)
                (enum_specifier name: (_) @_tag)]
            declarator: (type_identifier) @name @definition.type (#not-eq? @_tag @name))"""
"""Names of what has none of its own, or another one."""

GRAMMAR = Grammar(
    "tree-sitter-c==0.24.2",
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
        {TYPEDEFS}
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

SCOPING = Scoping(
    functions=words("function_definition lambda_expression"),
    blocks=words(
        """
        compound_statement for_statement for_range_loop if_statement while_statement switch_statement catch_clause
        template_declaration preproc_function_def requires_expression
        """
    ),
    spaces=words("class_specifier struct_specifier union_specifier namespace_definition"),
    binders=binders(
        block="""
            parameter_declaration.declarator optional_parameter_declaration.declarator
            variadic_parameter_declaration.declarator init_declarator.declarator declaration.declarator
            field_declaration.declarator preproc_params lambda_capture_initializer.left
        """,
        own="for_range_loop.declarator",
        types="""
            type_parameter_declaration optional_type_parameter_declaration.name variadic_type_parameter_declaration
        """,
    ),
    prototypes=words("function_declarator abstract_function_declarator"),
    members_seen_within=True,
)

BUILTINS = frozenset(
    (
        "abort assert atoi calloc close errno exit fclose fopen fprintf fread free fwrite getenv ioctl "
        "isalpha isdigit isspace malloc memcmp memcpy memmove memset open poll printf puts qsort read realloc "
        "recv send signal snprintf socket sprintf stat strcasecmp strchr strcmp strcpy strdup strerror strlen "
        "strncmp strstr strtol time vsnprintf write"
    ).split()
)

LANGUAGE = Language(
    name="c",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Includes,
    customs=Customs(
        any_file=True,
        spread="top",
        values_apart=True,
        types_apart=True,
        overloads=True,
        passes_on=True,
        arrows=True,
        builtins=BUILTINS,
    ),
    heads=HeadRules(order=NAME_LAST, returns_said=True, closed_values=True, bases=BEHIND_COLON),
)
