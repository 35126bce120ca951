"""Python: all that is known of it."""

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property

from cairn.languages.grammar import Grammar, without_underscore
from cairn.languages.imports import EVERYTHING, Binding, renamed
from cairn.languages.modules.tree import MANY, NOWHERE, Target, Tree, ancestors, nearest, parent, under
from cairn.languages.record import IN_PARENTHESES, NAME_FIRST, Customs, HeadRules, Language, Naming
from cairn.languages.scoping import Scoping, binders, words

GRAMMAR = Grammar(
    "tree-sitter-python==0.25.0",
    wrappers=frozenset({"decorated_definition"}),
    exported=without_underscore,
    query="""
        (class_definition name: (identifier) @name
            body: (block . (expression_statement (string) @doc))?) @definition.class
        (function_definition name: (identifier) @name
            body: (block . (expression_statement (string) @doc))?) @definition.function
        (module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
        (module (type_alias_statement left: (type (identifier) @name)) @definition.type)
        (class_definition body: (block
            (expression_statement (assignment left: (identifier) @name)) @definition.field))
        (call function: [(identifier) @name (attribute attribute: (identifier) @name)]) @call
        (import_statement name: (dotted_name) @source) @import
        (import_statement name: (aliased_import name: (dotted_name) @source)) @import
        (import_from_statement module_name: (_) @source) @import
        (module . (expression_statement (string) @comment))
        (comment) @comment
    """,
)


def bindings(statement: str, source: str, _before: str) -> Iterable[Binding]:
    """What an `import` or `from ... import` binds."""
    text = re.sub(r"#[^\n]*|\\\n", " ", statement) if "#" in statement or "\\" in statement else statement
    _, word, names = text.partition(" import ")
    if not word and text.startswith("from"):
        # `from .import a` and `from . import(a)` need no space.
        names = re.split(r"\bimport\b", text, maxsplit=1)[-1]
        word = names if names != text else ""
    if not text.startswith("from") or not word:
        match = re.search(rf"(?<![\w.]){re.escape(source)}\s+as\s+(\w+)", text) if " as" in text else None
        return [Binding("", match[1] if match else source)]
    if names.strip() == EVERYTHING:
        return [Binding(EVERYTHING, EVERYTHING)]
    return [renamed(part) for part in names.strip().strip("()").split(",") if part.strip()]


_BODY = words("body parameters")
SCOPING = Scoping(
    functions=words(
        "function_definition lambda list_comprehension set_comprehension dictionary_comprehension generator_expression"
    ),
    spaces=words("class_definition"),
    bodies={"function_definition": _BODY, "lambda": _BODY, "class_definition": words("body")},
    outside=frozenset(
        {
            ("default_parameter", "value"),
            ("typed_default_parameter", "value"),
            ("typed_default_parameter", "type"),
            ("typed_parameter", "type"),
            ("for_in_clause", "right"),
        }
    ),
    binders=binders(
        block="""
            parameters lambda_parameters default_parameter.name typed_default_parameter.name typed_parameter
            assignment.left augmented_assignment.left for_statement.left for_in_clause.left as_pattern.alias
            case_clause keyword_pattern delete_statement function_definition.name class_definition.name
            type_alias_statement.left
        """,
        types="type_parameter function_definition.type_parameters class_definition.type_parameters",
        assigned="named_expression.name",
    ),
    hoisted=True,
)

_KINDS = (str, bytes, dict, list, set, tuple, int, float, complex, object, Exception, slice, range, memoryview, type)
_STREAMS = (
    "acquire close commit connect debug end error exception execute fetchall fileno flush get group groups info log "
    "match put read readline readlines recv release run seek send span start tell warning write writelines"
)
MEMBERS = frozenset(name for kind in _KINDS for name in dir(kind)) | frozenset(_STREAMS.split())

# A package goes before a module, a module before its stub.
_FORMS = ("/__init__.py", ".py", "/__init__.pyi", ".pyi", ".pyx", ".pxd", ".pyw")
_PACKAGE = ("__init__.py", "__init__.pyi")
_SUFFIXES = (".py", ".pyi", ".pyx", ".pxd", ".pyw")
_BESIDE = ("src", "lib", "python")


class Python:
    """Modules and packages, from the folder on that holds the outermost package."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._roots: dict[str, str] = {}
        self._absolute: dict[tuple[str, str, bool], Target] = {}

    def resolve(self, importer: str, source: str) -> Target:
        module = source.lstrip(".")
        parts = tuple(module.split(".")) if module else ()
        if not all(part.isidentifier() for part in parts):
            return NOWHERE
        level = len(source) - len(module)
        if level:
            return self._relative(parent(importer), level, parts)
        if not parts:
            return NOWHERE
        root = self._root_of(parent(importer))
        own = importer.startswith((under(root, parts[0]) + "/", under(root, parts[0]) + "."))
        key = (root, module, own)
        found = self._absolute.get(key)
        if found is None:
            found = self._absolute[key] = self._from_roots(root, parts, own)
        return found if found.paths else self._beside(importer, parts)

    def _relative(self, folder: str, level: int, parts: tuple[str, ...]) -> Target:
        above = folder.split("/") if folder else []
        if level - 1 > len(above):
            return NOWHERE
        base = "/".join(above[: len(above) - level + 1])
        return self._module(base, parts) or NOWHERE

    def _from_roots(self, root: str, parts: tuple[str, ...], own: bool) -> Target:
        """Candidates below every root that has the first name, the importer's own root first."""
        having = self._toplevel.get(parts[0])
        if having is None:
            return NOWHERE
        if parts[0] in sys.stdlib_module_names:
            having = having & {root}
        chain = [base for above in ancestors(root) for base in (above, *(under(above, name) for name in _BESIDE))]
        near = list(dict.fromkeys(base for base in chain if base in having))
        far = nearest(f"{root}/", having - set(near)) if len(having) <= MANY else ()
        found = [(base, target) for base in (*near, *far) if (target := self._module(base, parts)) and target.paths]
        if not found:
            return NOWHERE
        fewest = min(len(target.rest) for _, target in found)
        best = [(base, target) for base, target in found if len(target.rest) == fewest]
        base, target = best[0]
        if own and base == root:
            return target
        # A lone file in a folder that has nothing to do with the importer may just share a name with a library.
        known = base in near or len(parts) - fewest > 1 or self._is_package(under(base, parts[0]))
        certain = target.certain and known and len(best) == 1 and (base in near or len(having) <= MANY)
        # Which of both comes first is told by how the program is started.
        certain = certain and parts[0] not in sys.stdlib_module_names
        return Target(tuple(path for _, each in best for path in each.paths), certain, target.rest)

    def _beside(self, importer: str, parts: tuple[str, ...]) -> Target:
        """What a program finds that is run in a package: the folder that it is started from is on its path.

        A single name may as well be a library's that a module of the package is named after.
        """
        for above in ancestors(parent(importer)) if parts[0] not in sys.stdlib_module_names else ():
            found = self._module(above, parts)
            named = len(parts) - len(found.rest) if found is not None and found.paths else 0
            if found is not None and named > bool(above) and importer not in found.paths:
                return Target(found.paths, False, found.rest)
        return NOWHERE

    def _module(self, base: str, parts: tuple[str, ...]) -> Target | None:
        """The longest beginning of the parts that is a file; the parts after it are names in that file."""
        for count in range(len(parts), 0, -1):
            path = under(base, "/".join(parts[:count]))
            found = self._tree.first(path + form for form in _FORMS)
            if found is not None:
                rest = parts[count:]
                return Target((found,), len(rest) < 2, rest)
            if count == len(parts) and self._tree.inside(path, *_SUFFIXES):
                return NOWHERE  # a namespace package is a folder and no file
        if base in self._package_folders:
            found = self._tree.first(under(base, name) for name in _PACKAGE)
            return Target((found,), len(parts) < 2, parts) if found else None
        return None

    def _root_of(self, folder: str) -> str:
        root = self._roots.get(folder)
        if root is None:
            root = next(above for above in ancestors(folder) if above == "" or not self._is_package(above))
            self._roots[folder] = root
        return root

    def _is_package(self, folder: str) -> bool:
        return folder in self._package_folders

    @cached_property
    def _package_folders(self) -> frozenset[str]:
        return frozenset(parent(path) for name in _PACKAGE for path in self._tree.named(name))

    @cached_property
    def _toplevel(self) -> dict[str, frozenset[str]]:
        """Which roots have a module, a package or a namespace of that name at their top."""
        found: dict[str, set[str]] = {}
        for root, name in self._top_names():
            found.setdefault(name, set()).add(root)
        return {name: frozenset(roots) for name, roots in found.items()}

    def _top_names(self) -> Iterator[tuple[str, str]]:
        seen: set[str] = set()
        for path in self._tree.files:
            if not path.endswith(_SUFFIXES):
                continue
            folder, _, name = path.rpartition("/")
            if not self._is_package(folder):
                yield folder, name.partition(".")[0]
            while folder and folder not in seen:
                seen.add(folder)
                above, _, name = folder.rpartition("/")
                if not self._is_package(above):
                    yield above, name
                folder = above


LANGUAGE = Language(
    name="python",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Python,
    customs=Customs(
        constructors=frozenset({"__init__", "__new__"}),
        protocols=frozenset(
            (
                "close detach fileno flush isatty read read1 readable readall readinto readline readlines seek "
                "seekable tell truncate writable write writelines"
            ).split()
        ),
        selves=frozenset({"cls", "self"}),
        parents=frozenset({"super()"}),
        makers=frozenset({"cls"}),
        explained=True,
        passes_on=True,
        retyped=True,
        decorators=True,
        stubs=((".pyi", (".py",)),),
        front="__init__.",
        members=MEMBERS,
    ),
    heads=HeadRules(
        order=NAME_FIRST,
        transparent="Optional|Annotated|Final|ClassVar|Type|type",
        awaited="Awaitable",
        awaited_own=words("close send throw cr_await cr_code cr_frame cr_origin cr_running cr_suspended"),
        closed_values=True,
        square=True,
        bases=IN_PARENTHESES,
    ),
    naming=Naming(
        values=frozenset({"True", "False", "None", "self", "super"}),
        reserved=frozenset({"print", "exec", "type", "match", "case", "_"}),
        proves_locals=True,
        named_arguments=True,
        lasting=("declared_in_class", "shown", "listed", "mangled", "named_by_itself"),
    ),
    ambiguity="python",
)
