"""The bodies of answers about definitions: what each holds, and how it is made from the answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from cairn.graph.outline import walk
from cairn.questions.fields import filled
from cairn.questions.parameters import Values

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer, FileOutline, Symbols, Uses
    from cairn.codebase.several import SeveralDefinitions, SeveralUses
    from cairn.graph.outline import Branch
    from cairn.graph.references import Reference
    from cairn.graph.symbols import Definition
    from cairn.syntax.slices import Slice


class _Definition(TypedDict):
    root: NotRequired[str]
    snapshot_id: NotRequired[str]
    id: NotRequired[str]
    path: str
    line: int
    start_line: int
    end_line: int
    name: str
    qualified_name: str
    kind: str
    signature: str
    container: str | None
    exported: bool
    doc: str | None
    layer: str
    places: list[str]
    changed_since: bool
    code: NotRequired[str]


class _Symbols(TypedDict):
    name: str
    total: int
    semantic: int
    otherwise: dict[str, int]
    results: list[_Definition]


class _Use(TypedDict):
    root: NotRequired[str]
    snapshot_id: NotRequired[str]
    path: str
    line: int
    column: int
    name: str
    role: str
    within: str | None
    tier: str
    dispatch: bool
    layer: str
    target: str | None
    text: str
    changed_since: bool


class _References(TypedDict):
    name: str
    definitions: list[_Definition]
    total: int
    tiers: dict[str, int]
    layers: dict[str, int]
    unresolved: int
    elsewhere: int
    complete: bool
    results: list[_Use]


class _Branch(TypedDict):
    id: str
    parent: str | None
    depth: int
    name: str
    qualified_name: str
    kind: str
    signature: str
    line: int
    start_line: int
    end_line: int
    exported: bool
    layer: str


class _Outline(TypedDict):
    path: str
    language: str | None
    status: str
    suggestions: list[str]
    changed_since: bool
    left_out: int
    full_tokens: int
    symbols: list[_Branch]


_Step = TypedDict("_Step", {"line": int, "column": int, "kind": str, "text": str, "from": list[int]})


class _Slice(TypedDict):
    path: str
    name: str
    status: str
    changed_since: bool
    function: str | None
    start_line: int | None
    end_line: int | None
    steps: list[_Step]


def symbols(answer: "Answer[Symbols]", _values: Values) -> _Symbols:
    """Definitions that bear a name."""
    found = answer.value
    rows = [_definition(answer, item, id=each) for each, item in zip(found.ids, found.definitions, strict=True)]
    if found.codes:
        rows = [{**row, "code": code} for row, code in zip(rows, found.codes, strict=True)]
    return filled(_Symbols, found, results=rows)


def several_symbols(found: "Answer[SeveralDefinitions]", values: Values) -> _Symbols:
    """Definitions of all codebases that answered, each with its root and its snapshot."""
    rows = [
        _defined(each.definition, each.changed_since, root=each.root, snapshot_id=each.snapshot_id, id=each.id)
        for each in found.items
    ]
    semantic = sum(row["layer"] == "semantic" for row in rows)
    return filled(_Symbols, found.value, name=values["name"], semantic=semantic, results=rows)


def references(answer: "Answer[Uses]", values: Values) -> _References:
    """Uses of a definition, the surest first."""
    found = answer.value
    definitions = [_definition(answer, item) for item in found.definitions]
    rows = [_use(answer, use) for use in found.items]
    return filled(_References, found, name=values["name"], definitions=definitions, results=rows)


def several_references(several: "Answer[SeveralUses]", values: Values) -> _References:
    """Uses in all codebases that answered, each with its root and its snapshot."""
    found = several.value
    bodies = [answer.value for answer in found.answers.values()]
    return {
        "name": values["name"],
        "definitions": [
            _definition(answer, item, root=root)
            for root, answer in found.answers.items()
            for item in answer.value.definitions
        ],
        "total": found.total,
        "tiers": _together(body.tiers for body in bodies),
        "layers": _together(body.layers for body in bodies),
        "unresolved": sum(body.unresolved for body in bodies),
        "elsewhere": sum(body.elsewhere for body in bodies),
        "complete": all(body.complete for body in bodies),
        "results": [_use(answer, use, root=root, snapshot_id=answer.snapshot_id) for root, answer, use in found.items],
    }


def outline(answer: "Answer[FileOutline]", _values: Values) -> _Outline:
    """What a file defines, from the top down."""
    found, exact = answer.value, answer.value.exact
    return filled(
        _Outline,
        found,
        status="ok" if exact is None else exact.status,
        suggestions=[] if exact is None else list(exact.suggestions),
        changed_since=found.path in answer.changed,
        symbols=list(_branches(found.branches if exact is None else exact.branches)),
    )


def local_slice(answer: "Answer[Slice | None]", values: Values) -> _Slice:
    """Where a name is set, used and flows to inside one function."""
    found = answer.value
    (path,) = answer.cited
    steps = () if found is None else found.steps
    return {
        "path": path,
        "name": values["name"],
        "status": "not_found" if found is None else "ok",
        "changed_since": path in answer.changed,
        "function": None if found is None else found.function,
        "start_line": None if found is None else found.start_line,
        "end_line": None if found is None else found.end_line,
        "steps": [filled(_Step, step, **{"column": step.column + 1, "from": list(step.from_)}) for step in steps],
    }


def _use(answer: "Answer[Uses]", use: "Reference", **own: Any) -> _Use:
    return used(use, use.path in answer.changed, **own)


def used(use: "Reference", changed_since: bool, **own: Any) -> _Use:
    """One use, and whether its file has changed since the snapshot."""
    target = None if use.target is None else f"{use.target.path}:{use.target.symbol.name_line}"
    return filled(
        _Use,
        use,
        changed_since=changed_since,
        column=use.column + 1,
        within=use.within or None,
        target=target,
        **own,
    )


def _definition(answer: "Answer[Any]", item: "Definition", **own: Any) -> _Definition:
    return _defined(item, item.path in answer.changed, **own)


def _defined(item: "Definition", changed_since: bool, **own: Any) -> _Definition:
    symbol = item.symbol
    own |= {"path": item.path, "line": symbol.name_line, "container": symbol.container or None}
    own["places"] = [f"{each.path}:{each.symbol.name_line}" for each in item.places]
    return filled(_Definition, symbol, changed_since=changed_since, **own)


def _branches(branches: "Sequence[Branch]") -> Iterator[_Branch]:
    """Symbols from the top down, each with the id of what it stands in: nesting has no end, JSON's reader may."""
    above: list[str] = []
    for depth, branch in walk(branches):
        del above[depth:]
        own = {"id": branch.id, "parent": above[-1] if above else None, "depth": depth}
        yield filled(_Branch, branch.symbol, line=branch.symbol.name_line, **own)
        above.append(branch.id)


def _together(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in counts:
        found |= {name: found.get(name, 0) + count for name, count in each.items()}
    return found
