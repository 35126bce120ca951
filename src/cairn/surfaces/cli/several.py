"""`cairn search --root A --root B` and `--all`: one question to several codebases."""

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import ExitCode
from cairn.base.notes import Note
from cairn.base.text import json_text, plural, printable
from cairn.base.values import replace
from cairn.codebase.answers import Request
from cairn.codebase.several import Asked, Codebases, DefinitionIn, SeveralAnswer, known_roots
from cairn.codebase.several.members import Sync
from cairn.graph.semantics import SEMANTIC
from cairn.graph.symbols import spelling
from cairn.search import parse_query
from cairn.store.versions import writable
from cairn.surfaces.cli import budget, knowledge, results
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import age_of, git_document, show_footer, wants_colour
from cairn.surfaces.cli.notes import told as told_of
from cairn.surfaces.cli.notes import warn
from cairn.surfaces.cli.text import say


def run(options: argparse.Namespace, request: Request, sync: Sync) -> int:
    """Sync all, ask all, and answer if at least one of them could."""
    roots, notes = known_roots() if options.all else (options.roots, [])
    with _opened(roots) as codebases:
        if not options.no_sync:
            codebases.sync(sync)
        answer = codebases.search(request)
    if options.json:
        found = document(answer, notes, explain=options.explain)
        if request.budget_tokens is not None:
            found = budget.within(found, answer.units, request.budget_tokens)
        say(json_text(found))
        return ExitCode.OK
    _show(answer, request, explain=options.explain)
    warn((*notes, *answer.notes))
    return ExitCode.OK


def symbols(options: argparse.Namespace, sync: Sync) -> int:
    """Where something is defined, in all codebases that answer."""
    roots, notes = known_roots() if options.all else (options.roots, [])
    with _opened(roots) as codebases:
        if not options.no_sync:
            codebases.sync(sync)
        found = codebases.get_symbol(options.name)
    spelt = [spelling(options.name, item.definition) for item in found.items]
    # Other spellings are other names.
    items = [item for item, written in zip(found.items, spelt, strict=True) if written == spelt[0]]
    otherwise = Counter(written for written in spelt if written != spelt[0])
    shown = items[: options.limit]
    cut = ["places"] if len(items) > options.limit or found.limits_hit else []
    notes = [*notes, *found.notes]
    if options.json:
        say(
            json_text(
                {
                    "schema_version": writable("graph_json"),
                    "name": options.name,
                    "total": len(items),
                    "otherwise": dict(otherwise),
                    **told_of(notes),
                    "limits_hit": cut,
                    "codebases": [
                        *({"root": root, "snapshot_id": snapshot} for root, snapshot in found.snapshots.items()),
                        *({"root": root, **error.envelope()} for root, error in found.errors.items()),
                    ],
                    "results": [_definition(item) for item in shown],
                }
            )
        )
        return ExitCode.OK
    for item in shown:
        symbol = item.definition.symbol
        since = "  changed since" if item.changed_since else ""
        place = f"{printable(os.path.join(item.root, item.path))}:{symbol.name_line}"
        say(f"{place}  {printable(symbol.qualified_name)}{since}")
        say(f"    {printable(symbol.signature or symbol.kind)}")
    if not shown:
        say(f"nothing is called {printable(options.name)} in these codebases")
    warn(notes)
    if otherwise:
        say(f"written otherwise: {', '.join(f'{printable(name)} ({count})' for name, count in otherwise.items())}")
    having = plural(len({item.root for item in items}), "codebase")
    told = [f"{plural(len(items), 'definition')} in {having}", *(["cut short: places"] if cut else [])]
    asked = (f"  {printable(root)}  snapshot {snapshot}" for root, snapshot in found.snapshots.items())
    show_footer("\n".join([" · ".join(told), *asked]))
    return ExitCode.OK


def references(options: argparse.Namespace, sync: Sync) -> int:
    """Where something is used, in all codebases that answer."""
    roots, notes = known_roots() if options.all else (options.roots, [])
    with _opened(roots) as codebases:
        if not options.no_sync:
            codebases.sync(sync)
        found = codebases.get_references(options.name)
    places = [(root, told, use) for root, told in found.told.items() for use in told.value.items]
    shown = places[: options.limit]
    total = sum(told.value.total for told in found.told.values())
    hits = [hit for told in found.told.values() for hit in told.limits_hit]
    cut = list(dict.fromkeys([*(["places"] if len(shown) < total else []), *hits]))
    notes = [*notes, *found.notes]
    if options.json:
        values = [told.value for told in found.told.values()]
        say(
            json_text(
                {
                    "schema_version": writable("graph_json"),
                    "name": options.name,
                    "total": total,
                    "unresolved": sum(value.unresolved for value in values),
                    "elsewhere": sum(value.elsewhere for value in values),
                    "complete": all(value.complete for value in values),
                    **told_of(notes),
                    "limits_hit": cut,
                    "results": [
                        {"root": root, "snapshot_id": told.snapshot_id} | knowledge.use_document(told, use)
                        for root, told, use in shown
                    ],
                }
            )
        )
        return ExitCode.OK
    for root, told, use in shown:
        place = f"{printable(os.path.join(root, use.path))}:{use.line}"
        layer = f"  {use.layer}" if use.layer == SEMANTIC else ""
        say(f"{place}  {use.tier}{layer}  {use.role}{knowledge.since(told, use.path)}")
        say(f"    {printable(use.text)}")
    if not shown:
        say(f"nothing that is called {printable(options.name)} is used")
    warn(notes)
    parts = [f"{plural(total, 'use')} in {plural(len({root for root, _, _ in places}), 'codebase')}"]
    asked = (f"  {printable(root)}  snapshot {told.snapshot_id}" for root, told in found.told.items())
    show_footer("\n".join([" · ".join([*parts, *(["cut short: " + ", ".join(cut)] if cut else [])]), *asked]))
    return ExitCode.OK


def _opened(roots: Sequence[str]) -> Codebases:
    here = current()
    return Codebases([here.at(root) for root in roots], here.opened)


def _definition(item: DefinitionIn) -> dict[str, Any]:
    symbol = item.definition.symbol
    return {
        "root": item.root,
        "snapshot_id": item.snapshot_id,
        "path": item.path,
        "line": symbol.name_line,
        "start_line": symbol.start_line,
        "end_line": symbol.end_line,
        "name": symbol.name,
        "qualified_name": symbol.qualified_name,
        "kind": symbol.kind,
        "signature": symbol.signature,
        "layer": symbol.layer,
        "changed_since": item.changed_since,
    }


def document(answer: SeveralAnswer, notes: Sequence[Note], *, explain: bool) -> dict[str, Any]:
    """The JSON answer: what one codebase says at the top, `codebases` says of each."""
    return {
        "schema_version": writable("search_json"),
        "request_id": answer.request_id,
        "query_fingerprint": answer.query_fingerprint,
        "codebases": [_codebase(item) for item in answer.codebases],
        "degraded": any(item.manifest is not None and item.manifest.degraded for item in answer.codebases),
        **told_of((*notes, *answer.notes)),
        "limits_hit": list(answer.limits_hit),
        "timings_ms": dict(answer.timings_ms),
        "results": [
            {"root": source.root, "snapshot_id": source.manifest.snapshot_id if source.manifest is not None else None}
            | results.result_document(item, source.changed, explain=explain)
            for item, source in zip(answer.results, answer.sources, strict=True)
        ],
    }


def _codebase(item: Asked) -> dict[str, Any]:
    manifest = item.manifest
    if manifest is None:
        return {"root": item.root, **(item.error.envelope() if item.error is not None else {})}
    return {
        "root": item.root,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "git": git_document(manifest),
        "degraded": manifest.degraded,
        "freshness": dict(item.freshness),
    }


def _show(answer: SeveralAnswer, request: Request, *, explain: bool) -> None:
    """Print places by their full paths, then which snapshot each codebase answered from."""
    if request.budget_tokens is not None:
        changed = frozenset((item.root, path) for item in answer.codebases for path in item.changed)
        budget.show(answer.results, answer.units, changed, request.budget_tokens, explain=explain)
    else:
        terms = frozenset(parse_query(request.query).terms)
        for item, source in zip(answer.results, answer.sources, strict=True):
            full = replace(item, row=replace(item.row, path_key=f"{source.root}/{item.row.path_key}"))
            changed_here = frozenset(f"{source.root}/{path}" for path in source.changed)
            lines = results.lines_of(full, changed_here, terms, colour=wants_colour(), explain=explain)
            say("\n".join(lines))
        if not answer.results:
            say("nothing found")
    show_footer(_footer(answer))


def _footer(answer: SeveralAnswer) -> str:
    able = [item for item in answer.codebases if item.manifest is not None]
    parts = [
        plural(len(answer.results), "result"),
        f"{len(able)} of {plural(len(answer.codebases), 'codebase')} answered",
        *(["cut short: " + ", ".join(answer.limits_hit)] if answer.limits_hit else []),
        f"{answer.timings_ms['total']:.0f} ms",
    ]
    return "\n".join([" · ".join(parts), *(f"  {_state(item)}" for item in able)])


def _state(item: Asked) -> str:
    if item.manifest is None:
        return printable(item.root)
    state = "just synced" if item.freshness.get("synced") else "not synced"
    if item.changed:
        state += f", {plural(len(item.changed), 'cited file')} changed since"
    if item.manifest.degraded:
        state += ", degraded"
    snapshot = f"snapshot {item.manifest.snapshot_id}, {age_of(item.manifest.created_at)}"
    return f"{printable(item.root)}  {snapshot}, {state}"
