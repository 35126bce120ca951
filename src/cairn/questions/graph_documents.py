"""The bodies of answers about how code hangs together: what each holds, and how it is made from the answer."""

from typing import TYPE_CHECKING, Any, TypedDict

from cairn.graph.calls import CallEdge, CallGraph
from cairn.graph.cycles import ImportCycles, ImportStep
from cairn.graph.hierarchy import Foreign, Hierarchy, Kinship, UnknownBase
from cairn.graph.impact import Dependant, Impact
from cairn.graph.imports import Imported, Importer, Imports
from cairn.graph.nodes import Node
from cairn.graph.overview import Folded, Folder, LanguageShare
from cairn.graph.repomap import RepoMap
from cairn.graph.testing import ReachingTest
from cairn.graph.unused import Unused, UnusedDefinitions
from cairn.graph.waysin import EntryPoint
from cairn.questions.fields import Both, InFile, filled, in_file, plain
from cairn.questions.parameters import Values

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer


class _TestFolder(TypedDict):
    path: str
    files: int


class _Api(TypedDict):
    path: str
    names: list[str]


class _Far(TypedDict):
    distance: int
    tier: str
    reason: str
    role: str
    of: str


class _GraphNote(TypedDict):
    file: str
    type: str
    symbol_id: str | None
    start_line: int | None
    detail: str | None


class _Calls(TypedDict):
    direction: str
    roots: list[str]
    nodes: list[InFile[Node]]
    edges: list[CallEdge]
    unresolved: int
    notes: list[_GraphNote]
    notes_truncated: bool
    total_note_count: int
    returned_note_count: int


class _Hierarchy(TypedDict):
    direction: str
    roots: list[str]
    nodes: list[InFile[Node]]
    edges: list[InFile[Kinship]]
    foreign: list[InFile[Foreign]]
    unknown: list[UnknownBase]
    unresolved: int


class _Cycle(TypedDict):
    files: list[str]
    steps: list[InFile[ImportStep]]


class _Cycles(TypedDict):
    total: int
    files: int
    results: list[_Cycle]


class _Hub(TypedDict):
    path: str
    rank: float
    changed_since: bool
    symbols: list[str]


class _Map(TypedDict):
    budget_tokens: int
    tokens: int
    full_tokens: int
    files_left_out: int
    definitions_left_out: int
    head_left_out: int
    text: str
    languages: list[LanguageShare]
    folders: list[Folder]
    entry_points: list[EntryPoint]
    tests: list[_TestFolder]
    folded: list[Folded]
    public_api: list[_Api]
    hubs: list[_Hub]


class _Imports(TypedDict):
    path: str
    changed_since: bool
    outgoing: list[Imported]
    incoming: list[InFile[Importer]]
    unresolved: int


class _Changed(TypedDict):
    path: str
    name: str
    kind: str
    change: str
    line: int | None
    still_used: int
    former: str


class _Impact(TypedDict):
    changed_files: list[str]
    removed_files: list[str]
    symbols: list[_Changed]
    users: list[Both[InFile[Node], _Far]]
    dependants: list[InFile[Dependant]]
    tests: list[InFile[ReachingTest]]
    unresolved: int


class _Tests(TypedDict):
    changed_files: list[str]
    removed_files: list[str]
    tests: list[InFile[ReachingTest]]
    total: int
    weak: int
    unresolved: int


class _Unused(TypedDict):
    results: list[InFile[Unused]]
    total: int
    exported: int


def calls(answer: "Answer[CallGraph]", _values: Values) -> _Calls:
    """Definitions and the calls between them."""
    graph, notes = answer.value, answer.value.notes
    return filled(
        _Calls,
        graph,
        nodes=[in_file(node, answer.changed) for node in graph.nodes],
        edges=plain(graph.calls),
        notes=[filled(_GraphNote, note) for note in notes.items],
        notes_truncated=notes.truncated,
        total_note_count=notes.total,
        returned_note_count=len(notes.items),
    )


def hierarchy(answer: "Answer[Hierarchy]", _values: Values) -> _Hierarchy:
    """Types or members, and how they are derived from each other."""
    found = answer.value
    return filled(
        _Hierarchy,
        found,
        nodes=[in_file(node, answer.changed) for node in found.nodes],
        edges=[in_file(edge, answer.changed) for edge in found.edges],
        foreign=[in_file(each, answer.changed) for each in found.foreign],
    )


def cycles(answer: "Answer[ImportCycles]", _values: Values) -> _Cycles:
    """Files that import each other in a circle."""
    found = answer.value
    rows = [filled(_Cycle, each, steps=[in_file(step, answer.changed) for step in each.steps]) for each in found.items]
    return filled(_Cycles, found, results=rows)


def repo_map(answer: "Answer[RepoMap]", _values: Values) -> _Map:
    """What a repository is made of."""
    found = answer.value
    overview: Any = found.overview
    return filled(
        _Map,
        found,
        text=found.text(),
        languages=plain(overview.languages) if overview else [],
        folders=plain(overview.folders) if overview else [],
        entry_points=plain(overview.entry_points) if overview else [],
        tests=[filled(_TestFolder, each) for each in (overview.tests if overview else ())],
        folded=plain(overview.folded) if overview else [],
        public_api=[{"path": path, "names": list(names)} for path, names in found.api],
        hubs=[
            filled(
                _Hub,
                entry,
                changed_since=entry.path in answer.changed,
                symbols=[symbol.qualified_name for symbol in entry.symbols],
            )
            for entry in found.entries
        ],
    )


def imports(answer: "Answer[Imports]", _values: Values) -> _Imports:
    """What a file imports, and who imports it."""
    found = answer.value
    incoming = [in_file(each, answer.changed) for each in found.incoming]
    return filled(_Imports, found, changed_since=found.path in answer.changed, incoming=incoming)


def impact(answer: "Answer[Impact]", _values: Values) -> _Impact:
    """What a change reaches."""
    found = answer.value
    return filled(
        _Impact,
        found,
        symbols=[filled(_Changed, each, line=each.line or None, still_used=each.uses) for each in found.symbols],
        users=[{**in_file(each.node, answer.changed), **filled(_Far, each)} for each in found.users],
        dependants=[in_file(file, answer.changed) for file in found.dependants],
        tests=[in_file(test, answer.changed) for test in found.tests],
    )


def tests(answer: "Answer[Impact]", _values: Values) -> _Tests:
    """Which tests see a change."""
    found = answer.value
    rows = [in_file(test, answer.changed) for test in found.tests]
    return filled(_Tests, found, total=found.all_tests, weak=len(found.weak_tests), tests=rows)


def unused(answer: "Answer[UnusedDefinitions]", _values: Values) -> _Unused:
    """What nothing uses."""
    found = answer.value
    return filled(_Unused, found, results=[in_file(each, answer.changed) for each in found.items])
