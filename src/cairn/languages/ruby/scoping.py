"""How Ruby binds names."""

from cairn.languages.scoping import Scoping, binders, words

SCOPING = Scoping(
    functions=words("method singleton_method block do_block lambda"),
    spaces=words("class module singleton_class"),
    binders=binders(
        block="""
            method_parameters block_parameters lambda_parameters optional_parameter.name splat_parameter.name
            keyword_parameter.name hash_splat_parameter.name block_parameter.name assignment.left
            operator_assignment.left for.pattern exception_variable as_pattern.name
        """,
    ),
    opaque=words("method singleton_method class module singleton_class"),
    called_apart=True,
    hoisted=True,
)
