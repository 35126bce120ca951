"""How Swift binds names."""

from cairn.languages.scoping import Scoping, binders, words

SCOPING = Scoping(
    functions=words(
        "function_declaration init_declaration lambda_literal computed_getter computed_setter subscript_declaration"
    ),
    blocks=words("statements if_statement while_statement for_statement catch_block switch_entry"),
    spaces=words("class_declaration protocol_declaration"),
    binders=binders(
        block="""
            parameter.name lambda_parameter.name property_declaration.name guard_statement.bound_identifier
            switch_pattern function_declaration.name
        """,
        own="for_statement.item catch_block.error if_statement.bound_identifier while_statement.bound_identifier",
        types="type_parameter",
    ),
    members_seen_within=True,
)
