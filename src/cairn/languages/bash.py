"""Bash and its relatives."""

from cairn.languages.grammar import Grammar
from cairn.languages.imports import everything
from cairn.languages.modules.rules import Relative
from cairn.languages.record import SCRIPT, Customs, Language

_GRAMMAR = Grammar(
    "tree-sitter-bash==0.25.1",
    wrappers=frozenset({"declaration_command"}),
    query="""
        (function_definition name: (word) @name) @definition.function
        (program (variable_assignment name: (variable_name) @name) @definition.variable)
        (program (declaration_command
            (variable_assignment name: (variable_name) @name) @definition.variable))
        (command name: (command_name (word) @name) (#not-match? @name "^(source|[.:[])$")) @call
        (command name: (command_name (word) @_command) . argument: (_) @source
            (#any-of? @_command "source" ".")) @import
        (comment) @comment
    """,
)


_BUILTINS = frozenset(
    (
        "alias bg break cd command continue declare echo eval exec exit export false fg getopts hash kill let "
        "local popd printf pushd pwd read readonly return set shift source test time trap true type unset "
        "wait"
    ).split()
)

LANGUAGE = Language(
    name="bash",
    grammar=_GRAMMAR,
    bindings=everything,
    modules=Relative,
    customs=Customs(any_file=True, passes_on=True, builtins=_BUILTINS),
    content=SCRIPT,
)
