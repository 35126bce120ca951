"""Ruby: all that is known of it."""

import re

from cairn.languages.grammar import Grammar
from cairn.languages.imports import everything
from cairn.languages.modules.tree import NOWHERE, Target, Tree, join, name_of, nearest, parent
from cairn.languages.record import BEHIND_ANGLE, Customs, HeadRules, Language
from cairn.languages.scoping import Scoping, binders, words

_HIDDEN = re.compile(r"\s*(?:private|protected|private_class_method|private_constant)\b")
_METHOD_NAME = "[(identifier) (constant) (setter) (operator)] @name"


def _exported(_name: str, head: str) -> bool:
    return _HIDDEN.match(head) is None


GRAMMAR = Grammar(
    "tree-sitter-ruby==0.23.1",
    wrappers=frozenset({"argument_list", "call"}),
    exported=_exported,
    query=f"""
        (class name: (constant) @name) @definition.class
        (class name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.class
        (module name: (constant) @name) @definition.module
        (module name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.module
        (assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)
            (#any-of? @_maker "Struct" "Class" "Module" "Data")
            (#any-of? @_new "new" "define")) @definition.class
        (assignment left: (constant) @name) @definition.constant
        (method name: (identifier) @name (#eq? @name "initialize")) @definition.constructor
        (program (method name: {_METHOD_NAME}) @definition.function)
        (method name: {_METHOD_NAME}) @definition.method
        (singleton_method name: {_METHOD_NAME}) @definition.method
        (alias name: (identifier) @name) @definition.method
        (call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name)
            (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer" "class_attribute" "mattr_accessor"
                "cattr_accessor")) @definition.property
        (call method: (identifier) @_relation arguments: (argument_list . (simple_symbol) @name)
            (#any-of? @_relation "belongs_to" "has_and_belongs_to_many" "has_many"
                "has_one")) @definition.property
        (call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)
            (#any-of? @_define "alias_method" "define_method" "scope" "task")) @definition.method
        (call method: (identifier) @_task arguments: (argument_list . (pair
            key: [(hash_key_symbol) (simple_symbol)] @name)) (#eq? @_task "task")) @definition.method
        (call method: [(identifier) (constant)] @name) @call
        (call receiver: [(constant) @name (scope_resolution name: (constant) @name)]
            method: (identifier) @_new (#eq? @_new "new")) @call
        (call method: (identifier) @_require arguments: (argument_list . (string (string_content) @source))
            (#any-of? @_require "load" "require" "require_relative")) @import
        (call method: (identifier) @_autoload arguments: (argument_list (string (string_content) @source))
            (#eq? @_autoload "autoload")) @import
        (body_statement (identifier) @hides (#any-of? @hides "private" "protected"))
        (body_statement (identifier) @shows (#eq? @shows "public"))
        (comment) @comment
    """,
)

SCOPING = Scoping(
    functions=words("method singleton_method block do_block lambda"),
    spaces=words("class module singleton_class"),
    binders=binders(
        block="""
            method_parameters block_parameters lambda_parameters optional_parameter.name splat_parameter.name
            keyword_parameter.name hash_splat_parameter.name block_parameter.name assignment.left
            operator_assignment.left for.pattern exception_variable as_pattern.name
        """
    ),
    opaque=words("method singleton_method class module singleton_class"),
    called_apart=True,
    hoisted=True,
)

CLASS_SIDE = re.compile(r"(?:\w+\s+)*def\s+[\w:]+\s*\.")
MIXED_SIDES = re.compile(r"\bclass\s*<<|\bmodule_function\b|\bextend\b|\bdefine_singleton_method\b")
BUILTINS = frozenset(
    (
        "abort at_exit attr_accessor attr_reader attr_writer binding block_given? catch exit extend fail "
        "format gets include lambda load loop p print printf private proc protected public puts raise rand "
        "require require_relative sleep sprintf system test throw warn"
    ).split()
)

_BESIDE = re.compile(r"\brequire_relative[ \t(]+[\"']([^\"'\n]*)[\"']")
_ON_LOAD_PATH = frozenset({"lib", "ext", "test", "spec"})


class Ruby:
    """Files that are required by path, beside the file or by the end of their path."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._beside: dict[str, frozenset[str]] = {}

    def resolve(self, importer: str, source: str) -> Target:
        asked = source if source.endswith(".rb") else f"{source}.rb"
        beside = join(parent(importer), asked) if not source.startswith("/") else None
        if beside not in self._tree.files:
            beside = None
        if source.startswith(("./", "../")):
            return Target((beside,), True) if beside else NOWHERE
        # `require` and `require_relative` leave the same source behind; the text tells which it was.
        if beside and source in self._relative_in(importer):
            return Target((beside,), True)
        found = self._tree.ending(join("", asked) or "") if ".." not in asked.split("/") else ()
        on_path = [path for path in found if _start(path, asked) in _ON_LOAD_PATH]
        if len(on_path) == 1 and (beside in (None, on_path[0])):
            return Target((on_path[0],), True)
        ordered = [*nearest(importer, on_path), *((beside,) if beside else ()), *nearest(importer, found)]
        paths = tuple(dict.fromkeys(ordered))
        # A lone name is more often a library than a file somewhere else.
        return Target(paths, False) if paths and (on_path or beside or "/" in source) else NOWHERE

    def _relative_in(self, importer: str) -> frozenset[str]:
        if importer not in self._beside:
            self._beside[importer] = frozenset(_BESIDE.findall(self._tree.text(importer) or ""))
        return self._beside[importer]


def _start(path: str, asked: str) -> str:
    """The name of the folder from which `asked` leads to the path."""
    return name_of(path[: len(path) - len(asked)].rstrip("/"))


_MIXINS = re.compile(
    r"^[ \t]*(?:include|prepend)[ \t(]+(?P<bases>[A-Z][\w:]*(?:[ \t]*,[ \t]*[A-Z][\w:]*)*)", re.MULTILINE
)

LANGUAGE = Language(
    name="ruby",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Ruby,
    customs=Customs(
        constructors=frozenset({"initialize"}),
        protocols=frozenset(
            (
                "binmode bytes call chars close close_read close_write closed? codepoints coerce each each_byte "
                "each_char each_line eof eof? eql? external_encoding fileno fsync getbyte getc gets hash inspect "
                "internal_encoding isatty lineno lines method_missing pid pos print printf putc puts read readbyte "
                "readchar readline readlines readpartial respond_to? respond_to_missing? rewind seek set_encoding "
                "sync sysread sysseek syswrite tell to_a to_ary to_enum to_h to_hash to_io to_path to_proc to_s "
                "to_str to_sym tty? ungetbyte ungetc write write_nonblock"
            ).split()
        ),
        selves=frozenset({"self"}),
        sees_members=True,
        any_file=True,
        any_member=True,
        scattered=True,
        reopened=True,
        overloads=True,
        passes_on=True,
        class_side=CLASS_SIDE,
        mixed_sides=MIXED_SIDES,
        builtins=BUILTINS,
    ),
    heads=HeadRules(called_values=False, bases=BEHIND_ANGLE, joins=_MIXINS),
)
