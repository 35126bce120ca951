"""Grammars that are ready to parse: loaded with the first file of their language."""

import importlib
import warnings
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from cairn.base.errors import IncompatibleError
from cairn.base.values import dataclass
from cairn.languages.registry import record_of, records

if TYPE_CHECKING:
    from cairn.languages.grammar import Grammar
    from cairn.languages.record import Language

WRAPPER = "wrapper"


@cache
def grammars() -> "dict[str, Grammar]":
    """The grammar of every language that has one."""
    return {each.name: each.grammar for each in records() if each.grammar is not None}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A grammar that is ready to parse."""

    language: "Language"
    grammar: "Grammar"
    parser: Any
    query: Any
    """The grammar's own patterns, then one that captures `WRAPPER`s."""


@cache
def load(language: str) -> Loaded | None:
    """The parser of a language; None when Cairn has none for it."""
    record = record_of(language)
    grammar = record.grammar
    if grammar is None:
        return None
    import tree_sitter

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # some wheels still give a plain address
        raw = tree_sitter.Language(tables(grammar))
    return Loaded(record, grammar, tree_sitter.Parser(raw), compiled(raw, whole_query(grammar)))


def is_usable(language: str) -> bool:
    """Whether the grammar of a language is there in its version and loads; its query is not compiled, which takes
    longest of all and depends on nothing else. The error of a grammar that isn't."""
    import tree_sitter

    grammar = record_of(language).grammar
    if grammar is None:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        tree_sitter.Parser(tree_sitter.Language(tables(grammar)))
    return True


def tables(grammar: "Grammar") -> Any:
    """A grammar as its wheel gives it: a capsule around the address of its tables, or the plain address."""
    from importlib.metadata import PackageNotFoundError, version

    package, _, pinned = grammar.identity.partition("==")
    try:
        installed = version(package)
    except PackageNotFoundError:
        installed = ""
    if installed != pinned:
        raise IncompatibleError(
            f"{package} {pinned} is needed; installed is {installed or 'none'}.",
            hint=f"Run `pip install {grammar.identity}`.",
        )
    module = importlib.import_module(package.replace("-", "_"))
    return getattr(module, grammar.function)()


def compiled(language: Any, query: str) -> Any:
    """A query of a grammar, ready to run; KeyboardInterrupt if Ctrl-C came meanwhile.

    tree-sitter turns an interrupt within a predicate's expression into an error of the query. The queries are constants
    that do compile: one that fails and then doesn't was interrupted.
    """
    import tree_sitter

    try:
        return tree_sitter.Query(language, query)
    except tree_sitter.QueryError:
        tree_sitter.Query(language, query)
        raise KeyboardInterrupt from None


@lru_cache(maxsize=1)
def all_matches(query: Any, root: Any) -> Any:
    """What a query finds in a tree: facts and names of a file ask for the same, one after the other."""
    import tree_sitter

    return tree_sitter.QueryCursor(query).matches(root)


def whole_query(grammar: "Grammar") -> str:
    """A grammar's query with its wrappers.

    Wrappers are looked for from above: a node's parent is found from the root down, which costs more.
    """
    if not grammar.wrappers:
        return grammar.query
    kinds = " ".join(f"({kind})" for kind in sorted(grammar.wrappers))
    return f"{grammar.query}\n[{kinds}] @{WRAPPER}"
