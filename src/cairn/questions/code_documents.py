"""The bodies of answers about code, as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cairn.graph.outline import walk
from cairn.questions.parameters import Values
from cairn.questions.question import Document

if TYPE_CHECKING:
    from cairn.codebase.bodies import CodeAnswer, FileOutline, Symbols, Uses
    from cairn.codebase.several import SeveralDefinitions, SeveralUses
    from cairn.graph.calls import CallGraph, Node
    from cairn.graph.impact import Impact
    from cairn.graph.imports import Imports
    from cairn.graph.outline import Branch
    from cairn.graph.references import Reference
    from cairn.graph.repomap import RepoMap
    from cairn.graph.symbols import Definition
    from cairn.syntax.uses import Slice


def symbols(answer: "CodeAnswer[Symbols]", _values: Values) -> Document:
    """Definitions that bear a name."""
    value = answer.value
    return {
        "name": value.name,
        "total": value.total,
        "semantic": value.semantic,
        "otherwise": dict(value.otherwise),
        "results": [
            {"id": each, **_definition(answer, item)} for each, item in zip(value.ids, value.definitions, strict=True)
        ],
    }


def references(answer: "CodeAnswer[Uses]", _values: Values) -> Document:
    """Uses of a definition, the surest first."""
    value = answer.value
    return {
        "definitions": [_definition(answer, item) for item in value.definitions],
        "total": value.total,
        "tiers": dict(value.tiers),
        "layers": dict(value.layers),
        "unresolved": value.unresolved,
        "elsewhere": value.elsewhere,
        "complete": value.complete,
        "results": [use_document(answer, use) for use in value.items],
    }


def outline(answer: "CodeAnswer[FileOutline]", _values: Values) -> Document:
    """What a file defines, from the top down."""
    value = answer.value
    wanted = value.branches if value.exact is None else value.exact.branches
    return {
        "path": value.path,
        "language": value.language,
        "status": "ok" if value.exact is None else value.exact.status,
        "suggestions": [] if value.exact is None else list(value.exact.suggestions),
        "changed_since": value.path in answer.changed,
        "left_out": value.left_out,
        "full_tokens": value.full_tokens,
        "symbols": _branches(wanted),
    }


def local_slice(answer: "CodeAnswer[Slice | None]", values: Values) -> Document:
    """Where a name is set, used and flows to inside one function."""
    value = answer.value
    (path,) = answer.cited
    steps = () if value is None else value.steps
    return {
        "path": path,
        "name": values["name"],
        "status": "not_found" if value is None else "ok",
        "changed_since": path in answer.changed,
        "function": None if value is None else value.function,
        "start_line": None if value is None else value.start_line,
        "end_line": None if value is None else value.end_line,
        "steps": [
            {
                "line": step.line,
                "column": step.column + 1,
                "kind": step.kind,
                "text": step.text,
                "from": list(step.from_),
            }
            for step in steps
        ],
    }


def calls(answer: "CodeAnswer[CallGraph]", _values: Values) -> Document:
    """Definitions and the calls between them."""
    graph = answer.value
    return {
        "direction": graph.direction,
        "roots": list(graph.roots),
        "nodes": [_node(answer, node) for node in graph.nodes],
        "edges": [
            {
                "source": call.source,
                "target": call.target,
                "tier": call.tier,
                "count": call.count,
                "lines": list(call.lines),
            }
            for call in graph.calls
        ],
        "unresolved": graph.unresolved,
        "notes": [
            {
                "file": note.file,
                "type": note.type,
                "symbolId": note.symbol_id,
                "startLine": note.start_line,
                "detail": note.detail,
            }
            for note in graph.notes.items
        ],
        "notesTruncated": graph.notes.truncated,
        "totalNoteCount": graph.notes.total,
        "returnedNoteCount": len(graph.notes.items),
    }


def repo_map(answer: "CodeAnswer[RepoMap]", _values: Values) -> Document:
    """What a repository is made of."""
    value = answer.value
    overview = value.overview
    return {
        "budget_tokens": value.budget_tokens,
        "tokens": value.tokens,
        "full_tokens": value.full_tokens,
        "files_left_out": value.files_left_out,
        "definitions_left_out": value.definitions_left_out,
        "head_left_out": value.head_left_out,
        "text": value.text(),
        "languages": [
            {"language": each.language, "files": each.files, "lines": each.lines}
            for each in (overview.languages if overview else ())
        ],
        "folders": [
            {"path": each.path, "files": each.files, "lines": each.lines, "language": each.language}
            for each in (overview.folders if overview else ())
        ],
        "entry_points": [{"path": each.path, "why": each.why} for each in (overview.entry_points if overview else ())],
        "tests": [{"path": each.path, "files": each.files} for each in (overview.tests if overview else ())],
        "public_api": [{"path": path, "names": list(names)} for path, names in value.api],
        "hubs": [
            {
                "path": entry.path,
                "rank": entry.rank,
                "changed_since": entry.path in answer.changed,
                "symbols": [symbol.qualified_name for symbol in entry.symbols],
            }
            for entry in value.entries
        ],
    }


def imports(answer: "CodeAnswer[Imports]", _values: Values) -> Document:
    """What a file imports, and who imports it."""
    value = answer.value
    return {
        "path": value.path,
        "changed_since": value.path in answer.changed,
        "outgoing": [
            {
                "source": item.source,
                "line": item.line,
                "names": item.names,
                "paths": list(item.paths),
                "tier": item.tier,
            }
            for item in value.outgoing
        ],
        "incoming": [
            {
                "path": item.path,
                "line": item.line,
                "tier": item.tier,
                "changed_since": item.path in answer.changed,
            }
            for item in value.incoming
        ],
        "unresolved": value.unresolved,
    }


def impact(answer: "CodeAnswer[Impact]", _values: Values) -> Document:
    """What a change reaches."""
    value = answer.value
    return {
        "changed_files": list(value.changed_files),
        "removed_files": list(value.removed_files),
        "symbols": [
            {
                "path": item.path,
                "name": item.name,
                "kind": item.kind,
                "change": item.change,
                "line": item.line or None,
                "still_called": item.callers,
            }
            for item in value.symbols
        ],
        "callers": [
            {**_node(answer, each.node), "distance": each.distance, "tier": each.tier, "reason": each.reason}
            for each in value.callers
        ],
        "dependants": [
            {
                "path": file.path,
                "distance": file.distance,
                "tier": file.tier,
                "imports": file.imports,
                "changed_since": file.path in answer.changed,
            }
            for file in value.dependants
        ],
        "tests": [
            {
                "path": test.path,
                "distance": test.distance,
                "tier": test.tier,
                "how": test.how,
                "changed_since": test.path in answer.changed,
            }
            for test in value.tests
        ],
        "unresolved": value.unresolved,
    }


def use_document(answer: "CodeAnswer[Uses]", use: "Reference") -> Document:
    """One use of a name."""
    return {
        "path": use.path,
        "line": use.line,
        "column": use.column + 1,
        "name": use.name,
        "role": use.role,
        "within": use.within or None,
        "tier": use.tier,
        "layer": use.layer,
        "target": None if use.target is None else f"{use.target.path}:{use.target.symbol.name_line}",
        "text": use.text,
        "changed_since": use.path in answer.changed,
    }


def _definition(answer: "CodeAnswer[Any]", item: "Definition") -> Document:
    return _definition_document(item, item.path in answer.changed)


def _definition_document(item: "Definition", changed_since: bool) -> Document:
    symbol = item.symbol
    return {
        "path": item.path,
        "line": symbol.name_line,
        "start_line": symbol.start_line,
        "end_line": symbol.end_line,
        "name": symbol.name,
        "qualified_name": symbol.qualified_name,
        "kind": symbol.kind,
        "signature": symbol.signature,
        "container": symbol.container or None,
        "exported": symbol.exported,
        "doc": symbol.doc,
        "layer": symbol.layer,
        "changed_since": changed_since,
    }


def _branches(branches: "Sequence[Branch]") -> list[Document]:
    """Symbols from the top down, each with the id of what it stands in: nesting has no end, JSON's reader may."""
    found: list[Document] = []
    above: list[str] = []
    for depth, branch in walk(branches):
        del above[depth:]
        symbol = branch.symbol
        found.append(
            {
                "id": branch.id,
                "parent": above[-1] if above else None,
                "depth": depth,
                "name": symbol.name,
                "qualified_name": symbol.qualified_name,
                "kind": symbol.kind,
                "signature": symbol.signature,
                "start_line": symbol.start_line,
                "end_line": symbol.end_line,
                "exported": symbol.exported,
            }
        )
        above.append(branch.id)
    return found


def _node(answer: "CodeAnswer[Any]", node: "Node") -> Document:
    return {
        "id": node.id,
        "path": node.path,
        "name": node.name,
        "kind": node.kind,
        "line": node.line,
        "end_line": node.end_line,
        "signature": node.signature,
        "depth": node.depth,
        "changed_since": node.path in answer.changed,
    }


def several_symbols(found: "SeveralDefinitions", values: Values) -> Document:
    """Definitions of all codebases that answered, each with its root and its snapshot."""
    return {
        "name": values["name"],
        "total": found.total,
        "otherwise": dict(found.otherwise),
        "results": [
            {"root": item.root, "snapshot_id": item.snapshot_id, "id": item.id}
            | _definition_document(item.definition, item.changed_since)
            for item in found.items
        ],
    }


def several_references(found: "SeveralUses", values: Values) -> Document:
    """Uses in all codebases that answered, each with its root and its snapshot."""
    bodies = [answer.value for answer in found.answers.values()]
    return {
        "name": values["name"],
        "total": sum(body.total for body in bodies),
        "unresolved": sum(body.unresolved for body in bodies),
        "elsewhere": sum(body.elsewhere for body in bodies),
        "complete": all(body.complete for body in bodies),
        "results": [
            {"root": root, "snapshot_id": answer.snapshot_id} | use_document(answer, use)
            for root, answer, use in found.items
        ],
    }
