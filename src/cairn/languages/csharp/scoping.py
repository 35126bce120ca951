"""How C# binds names."""

from cairn.languages.scoping import Scoping, binders, words

SCOPING = Scoping(
    functions=words(
        """
        method_declaration constructor_declaration local_function_statement lambda_expression
        anonymous_method_expression accessor_declaration operator_declaration conversion_operator_declaration
        indexer_declaration delegate_declaration destructor_declaration
        """
    ),
    blocks=words(
        """
        block for_statement foreach_statement using_statement catch_clause switch_section switch_expression_arm
        query_expression
        """
    ),
    spaces=words(
        """
        class_declaration struct_declaration interface_declaration record_declaration enum_declaration
        namespace_declaration
        """
    ),
    binders=binders(
        block="""
            parameter.name variable_declarator.name tuple_pattern.name catch_declaration.name declaration_pattern.name
            declaration_expression.name var_pattern.name recursive_pattern.name from_clause.name let_clause
            local_function_statement.name method_declaration.name property_declaration.name
        """,
        own="foreach_statement.left lambda_expression.parameters",
        types="type_parameter.name",
    ),
    members_seen_within=True,
)
