"""Make."""

from cairn.languages.grammar import Grammar
from cairn.languages.modules.rules import Relative
from cairn.languages.record import SCRIPT, Language

_GRAMMAR = Grammar(
    "tree-sitter-make==1.1.1",
    wrappers=frozenset({"export_directive"}),
    query="""
        (rule (targets (word) @name) (#not-match? @name "^[.]")) @definition.rule
        (variable_assignment name: (word) @name) @definition.variable
        (define_directive name: (word) @name) @definition.macro
        (include_directive filenames: (list (_) @source)) @import
        (comment) @comment
    """,
)


LANGUAGE = Language(name="make", grammar=_GRAMMAR, modules=Relative, content=SCRIPT)
