"""How JavaScript binds names."""

from cairn.languages.scoping import Scoping, binders, words

SCOPING = Scoping(
    functions=words(
        """
        function_declaration function_expression generator_function generator_function_declaration arrow_function
        method_definition function_signature method_signature abstract_method_signature function_type constructor_type
        call_signature construct_signature class_static_block
        """
    ),
    blocks=words(
        """
        statement_block for_statement for_in_statement catch_clause switch_body type_alias_declaration
        interface_declaration conditional_type index_signature
        """
    ),
    spaces=words("class_declaration class abstract_class_declaration internal_module module"),
    binders=binders(
        block="""
            formal_parameters required_parameter.pattern optional_parameter.pattern
            function_declaration.name generator_function_declaration.name class_declaration.name enum_declaration.name
            interface_declaration.name type_alias_declaration.name abstract_class_declaration.name
        """,
        own="arrow_function.parameter catch_clause.parameter function_expression.name class.name index_signature.name",
        types="type_parameter.name infer_type mapped_type_clause.name",
        declared="variable_declarator.name for_in_statement.left",
    ),
    hoisted=True,
)
