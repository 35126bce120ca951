"""Elixir: its definitions are calls of macros, so names decide what a node is."""

import re
from collections.abc import Iterable

from cairn.languages.grammar import Grammar
from cairn.languages.imports import EVERYTHING, Binding, renamed
from cairn.languages.modules.rules import Dotted
from cairn.languages.modules.tree import Tree
from cairn.languages.record import Customs, Language

_PRIVATE = re.compile(r"\s*(?:defp|defmacrop|defguardp|@typep)\b")


def _public(_name: str, head: str) -> bool:
    return _PRIVATE.match(head) is None


_HEAD = """[
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")]"""
_DOC = """(unary_operator operator: "@" operand: (call target: (identifier) @_doc
    (arguments [(string (quoted_content) @doc) (sigil (quoted_content) @doc)])) (#eq? @_doc "doc"))"""
_FUNCTION = f"""(call target: (identifier) @_keyword (arguments . {_HEAD})
    (#any-of? @_keyword "def" "defp" "defdelegate")) @definition.function"""
_MACRO = f"""(call target: (identifier) @_keyword (arguments . {_HEAD})
    (#any-of? @_keyword "defmacro" "defmacrop" "defguard" "defguardp")) @definition.macro"""
_MODULE_DOC = """(do_block (unary_operator operator: "@" operand: (call target: (identifier) @_doc
    (arguments [(string (quoted_content) @doc) (sigil (quoted_content) @doc)])) (#eq? @_doc "moduledoc")))"""
_SAID_ABOVE = "^(doc|spec|impl|typedoc|deprecated|since|dialyzer|decorate)$"
_NO_CONSTANT = (
    "^(moduledoc|doc|spec|impl|type|typep|opaque|typedoc|callback|macrocallback|optional_callbacks|behaviour"
    "|deprecated|since|dialyzer|derive|enforce_keys|before_compile|after_compile|compile|external_resource|tag"
    "|moduletag|describetag|decorate|on_load|on_definition)$"
)
_NO_CALL = (
    "^(def|defp|defmodule|defmacro|defmacrop|defguard|defguardp|defdelegate|defstruct|defprotocol|defimpl"
    "|alias|import|use|require|if|unless|case|cond|with|for|quote|unquote|try|receive|fn"
    "|moduledoc|doc|spec|impl|type|typep|opaque|typedoc|callback|macrocallback)$"
)

_GRAMMAR = Grammar(
    "tree-sitter-elixir==0.3.5",
    clauses=True,
    bodies=frozenset({"do_block"}),
    exported=_public,
    query=f"""
        (call target: (identifier) @_keyword (arguments . (alias) @name)
            (#eq? @_keyword "defmodule")) @definition.module
        (call target: (identifier) @_keyword (arguments . (alias) @name) {_MODULE_DOC}
            (#eq? @_keyword "defmodule")) @definition.module
        (call target: (identifier) @_keyword (arguments . (alias) @name)
            (#eq? @_keyword "defprotocol")) @definition.interface
        (call target: (identifier) @_keyword (arguments . (alias) @name) {_MODULE_DOC}
            (#eq? @_keyword "defprotocol")) @definition.interface
        (call target: (identifier) @_keyword (arguments (alias)
            (keywords (pair key: (keyword) @_for value: (alias) @name)))
            (#eq? @_keyword "defimpl") (#match? @_for "^for:")) @scope
        {_FUNCTION}
        ({_DOC} . (unary_operator)* . {_FUNCTION})
        {_MACRO}
        ({_DOC} . (unary_operator)* . {_MACRO})
        (unary_operator operator: "@" operand: (call target: (identifier) @_keyword
            (arguments (binary_operator
                left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
            (#any-of? @_keyword "type" "typep" "opaque")) @definition.type
        (unary_operator operator: "@" operand: (call target: (identifier) @_keyword
            (arguments (binary_operator left: (call target: (identifier) @name) operator: "::")))
            (#any-of? @_keyword "callback" "macrocallback")) @definition.method
        (do_block (unary_operator operator: "@" operand: (call target: (identifier) @name (arguments)))
            @definition.constant (#not-match? @name "{_NO_CONSTANT}"))
        (call target: (identifier) @name (#not-match? @name "{_NO_CALL}")) @call
        (call target: (dot right: (identifier) @name)) @call
        (binary_operator operator: "|>" right: (identifier) @name) @call
        (call target: (identifier) @_keyword (arguments . [
            (alias) @source (dot left: (alias) @source right: (tuple))])
            (#any-of? @_keyword "alias" "import" "use" "require")) @import
        (unary_operator operator: "@" operand: (call target: (identifier) @_keyword)
            (#match? @_keyword "{_SAID_ABOVE}")) @attribute
        (unary_operator operator: "@" operand: (call target: (identifier) @_keyword
            (arguments [(string (quoted_content) @comment) (sigil (quoted_content) @comment)]))
            (#eq? @_keyword "moduledoc"))
        (comment) @comment
    """,
)


def _bindings(statement: str, source: str, _before: str) -> Iterable[Binding]:
    if statement.startswith(("import", "use")):
        return [Binding(EVERYTHING, EVERYTHING)]
    group = re.search(r"\{([^{}]*)\}", statement)
    if group:
        return [renamed(part) for part in group[1].split(",") if part.strip()]
    match = re.search(r"\bas:\s*([\w.]+)", statement)
    return [Binding("", match[1] if match else source.rpartition(".")[2])]


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class _Modules(Dotted):
    """Files are named after modules by custom only, in snake case."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree, ".", (".ex", ".exs"), (), False)

    def _parts(self, source: str) -> list[str]:
        return [_HUMP.sub("_", part).lower() for part in source.split(".")]


_BUILTINS = frozenset(
    "if unless def defp raise inspect is_nil length elem hd tl send self spawn to_string apply".split()
)

LANGUAGE = Language(
    name="elixir",
    grammar=_GRAMMAR,
    bindings=_bindings,
    modules=_Modules,
    customs=Customs(any_file=True, paths_to_names=True, builtins=_BUILTINS),
)
