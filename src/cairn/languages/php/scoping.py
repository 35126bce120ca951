"""How PHP binds names."""

from cairn.languages.scoping import Scoping, words

SCOPING = Scoping(
    functions=words("function_definition method_declaration anonymous_function arrow_function"),
    spaces=words("class_declaration interface_declaration trait_declaration enum_declaration"),
    opaque=words("function_definition method_declaration anonymous_function class_declaration"),
    variables="variable_name",
    hoisted=True,
)
