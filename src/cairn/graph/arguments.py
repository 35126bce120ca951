"""Arguments that are given by name: to which calls they belong, and so whose parameters and fields they are."""

import re
from collections.abc import Callable, Iterator, Sequence

from cairn.base.values import dataclass
from cairn.graph.aliases import other_names
from cairn.graph.callsites import call_sites_of
from cairn.graph.customs import FIELDS
from cairn.graph.makers import MAKERS
from cairn.graph.meaning import LIKELY, NAME, TIERS
from cairn.graph.occurrences import tree_in, uses_in
from cairn.graph.proof import UseProof
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition
from cairn.syntax.trees import StoredTree
from cairn.syntax.uses import Use

_CALLED = re.compile(rb"([A-Za-z_$\x80-\xff][\w$\x80-\xff]*)\s*(?:<[^<>()]*>|\[[^\[\]()]*\])?\s*$")
_BEFORE = 300
_MOST_OWNERS = 20
"""Types whose calls are looked at for the fields of one name; of more, a name alone speaks."""


@dataclass(frozen=True, slots=True)
class NamedArgument:
    """An argument that is given by name, and how sure it is that its call is of what was asked about."""

    path: str
    use: Use
    tier: str


def named_arguments(
    resolver: Resolver,
    called: Sequence[Definition],
    name: str,
    present: Callable[[str], bool],
    *,
    by_name: bool = False,
) -> Iterator[NamedArgument]:
    """The arguments of one name in the calls of some functions or types; with `by_name` also in what may be one."""
    world = resolver.world
    proof, sites = UseProof(resolver, called), dict[str, dict[tuple[int, int], str]]()
    written = {item.symbol.name for item in called}
    written.update(*(other_names(world, resolver.top, item) for item in called))
    for each in sorted(written):
        for alike in call_sites_of(resolver).named(each):
            verdict = proof.verdict(alike.asked, alike.meaning)
            if verdict is not None and (by_name or verdict.tier != NAME):
                for path, use in alike.sites:
                    sites.setdefault(path, {})[use.line, use.column] = verdict.tier
    for path, here in world.used(name).items():
        given = uses_in(world.view.occurrences.rows(here)) if path in sites and present(path) else []
        keys = [use for use in given if use.keyword]
        tree = tree_in(world.view, path, world.view.rows.whole_text_of(path) or b"") if keys else None
        for use in keys:
            tier = sites[path].get(called_at(tree, use)) if tree is not None else None
            if tier is not None:
                yield NamedArgument(path, use, tier)


def arguments_for_fields(
    resolver: Resolver, fields: Sequence[Definition], present: Callable[[str], bool]
) -> dict[tuple[str, int, int], tuple[str, Definition]]:
    """By place, the arguments that give fields their values: of types that no constructor of their own makes."""
    owners = [(owner, item) for item in fields if item.symbol.kind in FIELDS for owner in _owners(resolver, item)]
    found: dict[tuple[str, int, int], tuple[str, Definition]] = {}
    for owner, item in owners if len(owners) <= _MOST_OWNERS else ():
        makers = [resolver.member(owner, maker) for maker in MAKERS]
        if any(each.targets for each in makers):
            continue
        most = LIKELY if any(each.outside for each in makers) else ""
        for each in named_arguments(resolver, [owner], item.symbol.name, present):
            tier = max(each.tier, most or each.tier, key=TIERS.index)
            found.setdefault((each.path, each.use.line, each.use.column), (tier, item))
    return found


def _owners(resolver: Resolver, item: Definition) -> Iterator[Definition]:
    around = resolver.world.scope(item.path).named(item.symbol.container) if item.symbol.container else ()
    return (Definition(item.path, each) for each in around if each.kind in TYPES)


def called_at(tree: StoredTree, use: Use) -> tuple[int, int]:
    """The place of the name that is called with an argument; nowhere where it is no call's."""
    data, at = tree.data, tree.lines[use.line - 1] + use.column
    node = tree.root_node.descendant_for_byte_range(at, at + 1).parent
    while node is not None and (node.start_byte == at or data[node.start_byte : node.start_byte + 1] not in b"([{"):
        node = node.parent
    if node is None or data[node.start_byte : node.start_byte + 1] != b"(":
        return 0, 0
    first = max(0, node.start_byte - _BEFORE)
    said = _CALLED.search(data[first : node.start_byte])
    if said is None:
        return 0, 0
    start = first + said.start(1)
    row = data.count(b"\n", 0, start)
    return row + 1, start - tree.lines[row]
