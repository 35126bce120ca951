"""How Java binds names."""

from cairn.languages.scoping import Scoping, binders, words

SCOPING = Scoping(
    functions=words(
        """
        method_declaration constructor_declaration compact_constructor_declaration lambda_expression static_initializer
        """
    ),
    blocks=words(
        """
        block for_statement enhanced_for_statement try_with_resources_statement catch_clause constructor_body
        switch_block_statement_group switch_rule
        """
    ),
    spaces=words(
        """
        class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration
        class_body
        """
    ),
    binders=binders(
        block="""
            formal_parameter.name variable_declarator.name inferred_parameters catch_formal_parameter.name resource.name
            instanceof_expression.name type_pattern record_pattern_component method_declaration.name
            class_declaration.name interface_declaration.name enum_declaration.name record_declaration.name
        """,
        own="enhanced_for_statement.name lambda_expression.parameters",
        types="type_parameter",
    ),
    called_apart=True,
    members_seen_within=True,
)
