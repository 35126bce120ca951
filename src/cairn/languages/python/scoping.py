"""How Python binds names."""

from cairn.languages.scoping import Scoping, binders, words

_BODY = words("body parameters")
SCOPING = Scoping(
    functions=words(
        "function_definition lambda list_comprehension set_comprehension dictionary_comprehension generator_expression"
    ),
    spaces=words("class_definition"),
    bodies={
        "function_definition": _BODY,
        "lambda": _BODY,
        "class_definition": words("body"),
    },
    outside=frozenset(
        {
            ("default_parameter", "value"),
            ("typed_default_parameter", "value"),
            ("typed_default_parameter", "type"),
            ("typed_parameter", "type"),
            ("for_in_clause", "right"),
        }
    ),
    binders=binders(
        block="""
            parameters lambda_parameters default_parameter.name typed_default_parameter.name typed_parameter
            assignment.left augmented_assignment.left for_statement.left for_in_clause.left as_pattern.alias
            case_clause keyword_pattern delete_statement function_definition.name class_definition.name
            type_alias_statement.left
        """,
        types="type_parameter function_definition.type_parameters class_definition.type_parameters",
        assigned="named_expression.name",
    ),
    hoisted=True,
)
