"""How Rust binds names."""

from cairn.languages.scoping import Scoping, binders, words

SCOPING = Scoping(
    functions=words("function_item closure_expression function_signature_item"),
    blocks=words("block match_arm if_expression while_expression for_expression type_item"),
    spaces=words("mod_item impl_item trait_item struct_item enum_item union_item"),
    binders=binders(
        block="""
            parameter.pattern closure_parameters let_declaration.pattern let_condition.pattern function_item.name
            const_item.name static_item.name struct_item.name enum_item.name type_item.name
        """,
        own="for_expression.pattern match_arm.pattern",
        types="type_parameter.name const_parameter.name",
    ),
    opaque=words("function_item mod_item impl_item trait_item"),
    constants_in_patterns=True,
    cut_at={"if_expression": "alternative"},
)
