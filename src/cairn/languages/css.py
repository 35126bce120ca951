"""CSS, and as much of SCSS and Less as reads like it."""

from cairn.languages.grammar import Grammar
from cairn.languages.modules.rules import Relative
from cairn.languages.modules.tree import Tree
from cairn.languages.record import DATA, Language

_GRAMMAR = Grammar(
    "tree-sitter-css==0.25.0",
    bodies=frozenset({"block", "keyframe_block_list"}),
    query="""
        (rule_set (selectors) @name) @definition.rule
        (keyframes_statement (keyframes_name) @name) @definition.rule
        (at_rule (at_keyword) @_mixin (keyword_query) @name (#eq? @_mixin "@mixin")) @definition.macro
        (declaration (property_name) @name (#match? @name "^--")) @definition.variable
        (call_expression (function_name) @_var (arguments . (plain_value) @name) (#eq? @_var "var")) @call
        (import_statement (string_value (string_content) @source)) @import
        (import_statement (call_expression (arguments (string_value (string_content) @source)))) @import
        (comment) @comment
        (js_comment) @comment
    """,
)


def _modules(tree: Tree) -> Relative:
    return Relative(tree, ("", ".scss", ".sass", ".less", ".css", "/_index.scss", "/index.scss"), True)


LANGUAGE = Language(name="css", grammar=_GRAMMAR, modules=_modules, content=DATA)
