"""How C binds names."""

from cairn.languages.scoping import Scoping, binders, words

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
