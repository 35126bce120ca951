"""HCL, as Terraform and its relatives use it: names are those that other blocks refer to."""

from cairn.languages.grammar import Grammar
from cairn.languages.modules.tree import NOWHERE, Target, Tree, join, parent
from cairn.languages.record import DATA, Language

_TEXT = "(string_lit (template_literal) @name)"

_GRAMMAR = Grammar(
    "tree-sitter-hcl==1.2.0",
    query=f"""
        (config_file (body (block . (identifier) . (string_lit (template_literal) @container) . {_TEXT})
            @definition.key))
        (config_file (body (block . (identifier) @_kind . {_TEXT} . (block_start)
            (#any-of? @_kind "variable" "output")) @definition.variable))
        (config_file (body (block . (identifier) @_kind . {_TEXT} . (block_start)
            (#eq? @_kind "module")) @definition.module))
        (config_file (body (block . (identifier) @_kind . {_TEXT} . (block_start)
            (#not-match? @_kind "^(variable|output|module)$")) @definition.key))
        (config_file (body (block . (identifier) @name . (block_start)
            (#not-eq? @name "locals")) @definition.key))
        (block . (identifier) @_kind (body (attribute . (identifier) @name) @definition.variable)
            (#eq? @_kind "locals"))
        (config_file (body (attribute . (identifier) @name) @definition.key))
        (block . (identifier) @_kind (body (attribute . (identifier) @_key
            (expression (literal_value (string_lit (template_literal) @source)))))
            (#eq? @_kind "module") (#eq? @_key "source")) @import
        (function_call . (identifier) @name) @call
        (comment) @comment
    """,
)


class _Modules:
    """A module is a folder."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def resolve(self, importer: str, source: str) -> Target:
        folder = join(parent(importer), source) if source.startswith(("./", "../")) else None
        paths = self._tree.inside(folder, ".tf", ".tofu") if folder is not None else ()
        return Target(paths, True) if paths else NOWHERE


LANGUAGE = Language(name="hcl", grammar=_GRAMMAR, modules=_Modules, content=DATA)
