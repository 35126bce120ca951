"""What loading a module of Python does beside defining names: registrations, calls, changes of what others have."""

from collections.abc import Iterable, Iterator
from typing import Any

from cairn.edit.gate.table import table_of
from cairn.edit.moving.transfer import Transfer
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.importing import inner_module, statements
from cairn.edit.source.values import Construct
from cairn.edit.source.written import function_on, said_of, within
from cairn.graph.cycles import imported_at_start
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition

_WRAPPING = frozenset(
    """
    wraps update_wrapper partial cache lru_cache property staticmethod classmethod contextmanager isinstance callable
    cast signature getattr hasattr iscoroutinefunction isfunction isclass type list dict tuple set frozenset super
    """.split()
)
"""What a decorator may call that only makes a function of a function."""
_NOT_RUN = frozenset({"function_definition", "lambda", "class_definition"})
_MAKER, _HEIR_HOOK = "__init__", "__init_subclass__"


def registering(resolver: Resolver, sources: SourceFiles, source: SourceFile, nodes: tuple[Any, ...]) -> Iterator[Any]:
    """The decorators of some definitions that may do more than wrap them when they are loaded."""
    plain = table_of(source.language).plain_decorators
    for node in nodes:
        for child in node.children if node.type == "decorated_definition" else ():
            if child.type != "decorator" or not child.named_children:
                continue
            said = child.named_children[0]
            called = said.type == "call"
            name = said.child_by_field_name("function") if called else said
            receiver, _, last = name.said.rpartition(".")
            if last in plain:
                continue
            meant = resolver.meaning(source.path, last, receiver, "")
            if meant.targets and not meant.open:
                bodies = [body for each in meant.targets for body in _bodies(resolver, sources, each)]
                if bodies and not any(_does_more(each, int(called)) for each in bodies):
                    continue
            yield child


def registered(transfer: Transfer, item: Definition) -> Iterator[Construct]:
    """Questions about a definition that is made known to others when its module is loaded."""
    resolver, source = transfer.resolver, transfer.source
    for child in registering(resolver, transfer.sources, source, transfer.extent.nodes):
        shown = child.said.partition("\n")[0]
        why = f"may register {item.symbol.name} when {source.path} is loaded, and in that order"
        line = child.start_point[0] + 1
        yield Construct(source.path, line, "registered", shown, why, f"loads {source.path} {shown}")
    for each, _ in resolver.members.line(item) if item.symbol.kind in TYPES else ():
        hooks = resolver.members.own(each, _HEIR_HOOK).targets if each is not None and each != item else ()
        for hook in hooks:
            shown = resolver.world.lines(hook.path)[hook.symbol.name_line - 1].strip()
            why = f"is told of {item.symbol.name} when {source.path} is loaded"
            yield Construct(hook.path, hook.symbol.name_line, "registered", shown, why, f"loads {hook.path} {shown}")


def _bodies(resolver: Resolver, sources: SourceFiles, item: Definition) -> Iterator[Any]:
    """The nodes of the functions that run when something decorates."""
    if item.symbol.kind in TYPES:
        for maker in resolver.members.own(item, _MAKER).targets:
            yield from _bodies(resolver, sources, maker)
    elif item.symbol.kind in FUNCTIONS:
        node = function_on(sources.of(item.path).root, item.symbol.name_line)
        yield from [node] if node is not None else []


def _does_more(function: Any, deeper: int) -> bool:
    """Whether a decorator does more than make a function of a function; `deeper` for one that a call makes."""
    own = {"self"} if said_of(function.child_by_field_name("name")) != _MAKER else set()
    body = function.child_by_field_name("body")
    if any(_is_effect(each, own) for each in _run(body)):
        return True
    inner = (each for each in within(body) if each.type == "function_definition" and _nearest(each) == function)
    return bool(deeper) and any(_does_more(each, deeper - 1) for each in inner)


def _is_effect(node: Any, own: set[str]) -> bool:
    if node.type == "call":
        return said_of(node.child_by_field_name("function")).rpartition(".")[2] not in _WRAPPING
    if node.type in ("assignment", "augmented_assignment"):
        left = node.child_by_field_name("left")
        asked = left.type == "attribute" and said_of(left).partition(".")[0] in own
        return bool(left.type == "subscript" or asked)
    return bool(node.type in ("global_statement", "nonlocal_statement", "delete_statement", "await", "yield"))


def effect_line(resolver: Resolver, sources: SourceFiles, source: SourceFile, without: tuple[Any, ...] = ()) -> int:
    """The first line of a module that does something when it is loaded, beside giving names values; 0 if none does."""
    for node in source.root.named_children if source.root is not None and source.language == "python" else ():
        if node in without:
            continue
        line = int(node.start_point[0]) + 1
        if any(registering(resolver, sources, source, (node,))):
            return line
        inner = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
        if inner is not None and inner.type == "call":
            return line
        left = inner.child_by_field_name("left") if inner is not None and "assignment" in inner.type else None
        if left is not None and left.type in ("subscript", "attribute"):
            return line
    return 0


def no_longer_loading(transfer: Transfer, changed: set[str], loaded: set[str]) -> str:
    """The first file that loaded the old module for this definition alone, and won't any more; empty if none is."""
    old = transfer.source.path
    for path in sorted(changed - {old, transfer.to}):
        now = imported_at_start(transfer.resolver, path)
        if old in now and not _still_takes(transfer, path):
            if old not in _loaded_with(transfer, path, {*(now - {old}), transfer.to}, loaded):
                return path
    return ""


def newly_loading(transfer: Transfer, users: set[str]) -> str:
    """The first file that has the definition from the new module and didn't load that before; empty if none is."""
    for path in sorted(users - {transfer.to}):
        if transfer.to not in _loaded_with(transfer, path, imported_at_start(transfer.resolver, path), set()):
            return path
    return ""


def _loaded_with(transfer: Transfer, path: str, first: Iterable[str], more: set[str]) -> set[str]:
    """What is loaded with a file that loads some others; `more` is what the new module will load besides."""
    known, waiting = {path}, list(first)
    while waiting:
        each = waiting.pop()
        if each in known:
            continue
        known.add(each)
        inner = imported_at_start(transfer.resolver, each) if each in transfer.resolver.world.languages else ()
        waiting += (*inner, *(more if each == transfer.to else ()))
    return known


def _still_takes(transfer: Transfer, path: str) -> bool:
    """Whether a file has an import of the old module that takes more than the definition."""
    source = transfer.sources.of(path)
    return any(
        transfer.source.path
        in (transfer.names.file_of(path, each.module), transfer.names.file_of(path, inner_module(each, name)))
        for each in statements(source)
        if not each.late and not each.types
        for name in each.names
        if name.name != transfer.name
    )


def _run(node: Any) -> Iterator[Any]:
    """A node and all in it that runs with it."""
    yield node
    for child in node.children:
        if child.type not in _NOT_RUN:
            yield from _run(child)


def _nearest(node: Any) -> Any:
    while (node := node.parent) is not None:
        if node.type == "function_definition":
            return node
    return None
