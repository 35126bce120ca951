"""How Go binds names."""

from cairn.languages.scoping import Scoping, binders, words

SCOPING = Scoping(
    functions=words("function_declaration method_declaration func_literal function_type method_elem"),
    blocks=words(
        """
        block if_statement for_statement expression_switch_statement type_switch_statement select_statement
        expression_case type_case default_case communication_case type_spec
        """
    ),
    binders=binders(
        block="""
            parameter_declaration.name variadic_parameter_declaration.name short_var_declaration.left var_spec.name
            const_spec.name range_clause.left receive_statement.left type_spec.name type_alias.name
        """,
        own="type_switch_statement.alias",
        types="type_parameter_declaration.name",
    ),
)
