"""C#: all that is known of it."""

import re
from collections.abc import Iterable
from functools import cached_property

from cairn.languages.grammar import Grammar
from cairn.languages.imports import EVERYTHING, Binding
from cairn.languages.modules.tree import NOWHERE, Endings, Target, Tree, nearest, parent
from cairn.languages.record import BEHIND_COLON, NAME_LAST, OBJECT_MEMBERS, Customs, HeadRules, Language
from cairn.languages.scoping import Scoping, binders, words

_SEEN = re.compile(r"\b(?:public|protected|internal)\b")
_HIDDEN = re.compile(r"\b(?:private|file)\b")
_TYPE = re.compile(r"\b(?:class|delegate|enum|interface|namespace|record|struct)\b")
_BODILESS_METHOD = re.compile(r"[^=(]*\(.*\)[^)]*;$", re.DOTALL)
_ENUM_MEMBER = re.compile(r"\w+(?:\s*=.*)?$", re.DOTALL)
_ATTRIBUTES = re.compile(r"^(?:\[(?:[^\[\]]|\[[^\]]*\])*\]\s*)+")


def _exported(_name: str, head: str) -> bool:
    """Types are internal, class members private and interface members public unless they say otherwise."""
    bare = _ATTRIBUTES.sub("", head.strip())
    if _SEEN.search(bare):
        return True
    if _HIDDEN.search(bare):
        return False
    in_interface = _BODILESS_METHOD.match(bare) or bare.startswith("event ") or not re.search(r"[;()]", bare)
    return bool(_TYPE.search(bare) or _ENUM_MEMBER.match(bare) or in_interface)


GRAMMAR = Grammar(
    "tree-sitter-c-sharp==0.23.5",
    bodies=frozenset({"body", "accessors", "value"}),
    exported=_exported,
    query="""
        (namespace_declaration name: [(identifier) (qualified_name)] @name) @definition.module
        (class_declaration name: (identifier) @name) @definition.class
        (record_declaration name: (identifier) @name) @definition.class
        (record_declaration (parameter_list (parameter name: (identifier) @name) @definition.property))
        (struct_declaration name: (identifier) @name) @definition.struct
        (interface_declaration name: (identifier) @name) @definition.interface
        (enum_declaration name: (identifier) @name) @definition.enum
        (enum_member_declaration name: (identifier) @name) @definition.constant
        (delegate_declaration name: (identifier) @name) @definition.type
        (constructor_declaration name: (identifier) @name) @definition.constructor
        (method_declaration name: (identifier) @name) @definition.method
        (local_function_statement name: (identifier) @name) @definition.function
        (property_declaration name: (identifier) @name) @definition.property
        (indexer_declaration "this" @name) @definition.property
        (event_declaration name: (identifier) @name) @definition.property
        (event_field_declaration (variable_declaration
            (variable_declarator name: (identifier) @name))) @definition.property
        (field_declaration (modifier "const") (variable_declaration
            (variable_declarator name: (identifier) @name))) @definition.constant
        (field_declaration (variable_declaration
            (variable_declarator name: (identifier) @name))) @definition.field
        (invocation_expression function: [
            (identifier) @name
            (generic_name (identifier) @name)
            (member_access_expression name: [(identifier) @name (generic_name (identifier) @name)])
            (conditional_access_expression (member_binding_expression
                name: [(identifier) @name (generic_name (identifier) @name)]))]) @call
        (object_creation_expression type: [
            (identifier) @name
            (generic_name (identifier) @name)
            (qualified_name name: [(identifier) @name (generic_name (identifier) @name)])]) @call
        (constructor_initializer ["base" "this"] @name) @call
        (implicit_object_creation_expression "new" @name) @call
        (using_directive !name [(identifier) (qualified_name)] @source) @import
        (using_directive name: (identifier) (qualified_name) @source) @import
        (comment) @comment
    """,
)


def bindings(statement: str, _source: str, _before: str) -> Iterable[Binding]:
    """What a `using` binds."""
    match = re.search(r"using\s+(?:static\s+)?(\w+)\s*=", statement)
    return [Binding("", match[1])] if match else [Binding(EVERYTHING, EVERYTHING)]


SCOPING = Scoping(
    functions=words(
        """
        method_declaration constructor_declaration local_function_statement lambda_expression
        anonymous_method_expression accessor_declaration operator_declaration conversion_operator_declaration
        indexer_declaration delegate_declaration destructor_declaration
        """
    ),
    blocks=words(
        """
        block for_statement foreach_statement using_statement catch_clause switch_section switch_expression_arm
        query_expression
        """
    ),
    spaces=words(
        """
        class_declaration struct_declaration interface_declaration record_declaration enum_declaration
        namespace_declaration
        """
    ),
    binders=binders(
        block="""
            parameter.name variable_declarator.name tuple_pattern.name catch_declaration.name declaration_pattern.name
            declaration_expression.name var_pattern.name recursive_pattern.name from_clause.name let_clause
            local_function_statement.name method_declaration.name property_declaration.name
        """,
        own="foreach_statement.left lambda_expression.parameters",
        types="type_parameter.name",
    ),
    members_seen_within=True,
)


class CSharp:
    """Namespaces follow folders by custom, whether these are nested or have dots in their names."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def resolve(self, importer: str, source: str) -> Target:
        name = source.replace(" ", "")
        if not name or "/" in name:
            return NOWHERE
        files = self._files.find(f"{name}.cs")
        if files:
            return Target(nearest(importer, files), False)
        folders = [parent(path) for path in nearest(importer, (f"{each}/" for each in self._folders.find(name)))]
        paths = tuple(path for folder in folders for path in self._tree.inside(folder, ".cs"))
        return Target(paths, False) if paths else NOWHERE

    @cached_property
    def _files(self) -> Endings:
        return Endings((path for path in self._tree.files if path.endswith(".cs")), ".")

    @cached_property
    def _folders(self) -> Endings:
        return Endings({parent(path) for path in self._tree.files if path.endswith(".cs")}, ".")


LANGUAGE = Language(
    name="csharp",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=CSharp,
    customs=Customs(
        parents=frozenset({"base"}),
        makers=frozenset({"base", "new", "this"}),
        # A namespace is written around what is in it, and is a part of its name.
        of_package=lambda _path, qualified, _said, parts: qualified == ".".join(parts),
        pieces=re.compile(r"\bpartial\b"),
        sees_members=True,
        any_file=True,
        scattered=True,
        reopened=True,
        overloads=True,
        paths_to_names=True,
        members=OBJECT_MEMBERS,
    ),
    heads=HeadRules(
        order=NAME_LAST,
        awaited="Task|ValueTask",
        awaited_own=words(
            "AsyncState ConfigureAwait ContinueWith Dispose Exception GetAwaiter Id IsCanceled IsCompleted IsFaulted "
            "Result RunSynchronously Start Status Wait WaitAsync"
        ),
        returns_said=True,
        bases=BEHIND_COLON,
    ),
)
