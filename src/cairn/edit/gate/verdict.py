"""The mutation gate: pure. Freshness comes before certainty, and what isn't proven never passes by itself.

every file clean, nothing open      pass
every file clean, something open    needs_decision
anything else                       blocked
"""

from collections.abc import Mapping, Sequence

from cairn.base.values import dataclass
from cairn.edit.source.values import (
    BLOCKED,
    NEEDS_DECISION,
    OK,
    SEMANTIC,
    SYNTACTIC,
    WRITTEN,
    Doubt,
    OpenPlace,
    Witness,
)
from cairn.semantic.scope import RefreshScope, scope_of
from cairn.semantic.state import AMBIGUOUS, CLEAN, DIRTY, PENDING_CHECK, STALE, UNINDEXED, FileState
from cairn.store import SemanticFlag

MAX_FACTS = 50
"""The most facts in a witness; it gives the number of the others."""
_STATES = {
    DIRTY: ("it was changed since its facts were made", "facts of its present content"),
    STALE: ("what it depends on shows something else than it did", "facts made with its present dependencies"),
    PENDING_CHECK: ("something that it depends on was changed", "facts of that file"),
    UNINDEXED: ("there are no semantic facts of it", "facts of it"),
}
_OPEN = {
    "unresolved_use": ("Is this the same thing? The index can't tell.", "the type of what it is asked of"),
    "keyword_argument": ("Does this name the parameter or attribute that is renamed?", "what is called there"),
    "name_as_text": ("Is this text read as the name by a program?", "what the text is used for"),
    "qualified_text": ("Is this text read as the name by a program?", "what reads the text"),
    "template_field": ("Is this field of a template the member that is renamed?", "what the template is given"),
    "unparsed_code": ("Does this code, which is not parsed, mean it?", "what the file imports"),
    "directive": ("Does this comment tell a tool to use it?", "what the tool does with the name"),
    "example_code": ("Does this example, which somebody may run, mean it?", "what the example uses"),
    "argument_with_effects": ("May this argument go, though evaluating it may do something?", "what it does"),
    "unmended_use": ("What does this place use? Nothing tells how to lead it to the new module.", "how it finds it"),
    "replaced_name": ("Must this replace what the new module uses?", "who has to see the other value"),
    "mocked_module": ("Must this replace the new module?", "what the test relies on"),
    "broken_code": ("What does this code mean? It could not be parsed.", "code that can be parsed"),
}


@dataclass(frozen=True, slots=True)
class GateResult:
    """The gate's verdict: `pass`, `needs_decision` or `blocked`, with a witness unless it passes."""

    status: str
    witness: Witness | None = None


def check_mutation_gate(
    states: Mapping[str, FileState],
    *,
    opened: Sequence[OpenPlace] = (),
    flags: Mapping[str, Sequence[SemanticFlag]] | None = None,
    doubts: Sequence[Doubt] = (),
    seen: int = 0,
) -> GateResult:
    """Whether an edit that relies on some files may be written without asking the user.

    `flags` are the ambiguities that concern it; without them any ambiguity of a file counts.
    """
    unfit = {path: state for path, state in sorted(states.items()) if state.freshness != CLEAN}
    if unfit:
        return GateResult(BLOCKED, _stale_witness(unfit, max(seen, len(states))))
    if flags is None:
        unclear = {path: () for path, state in sorted(states.items()) if state.certainty == AMBIGUOUS}
        bearing: Mapping[str, Sequence[SemanticFlag]] = unclear
    else:
        bearing = {path: found for path, found in sorted(flags.items()) if found}
    if bearing or opened or doubts:
        return GateResult(NEEDS_DECISION, _open_witness(bearing, opened, doubts, max(seen, len(states))))
    return GateResult(OK)


def _stale_witness(unfit: Mapping[str, FileState], seen: int) -> Witness:
    facts = [
        {"type": "file_state", "path": path, "freshness": state.freshness, "provenance": SEMANTIC}
        for path, state in unfit.items()
    ]
    kinds = dict.fromkeys(state.freshness for state in unfit.values())
    checklist = [
        Doubt(
            kind,
            f"What does {_first(unfit, kind)} say now? {_STATES[kind][0]}".rstrip() + ".",
            _STATES[kind][1],
            "cairn refresh --wait",
        )
        for kind in kinds
    ]
    failed = tuple(f"every file is clean: {path} is {state.freshness}" for path, state in unfit.items())
    return Witness(
        seen, len(facts) > MAX_FACTS, failed[:MAX_FACTS], tuple(facts[:MAX_FACTS]), tuple(checklist), _scope(unfit)
    )


def _scope(unfit: Mapping[str, FileState]) -> RefreshScope:
    return scope_of(files=unfit)


def _first(unfit: Mapping[str, FileState], kind: str) -> str:
    paths = [path for path, state in unfit.items() if state.freshness == kind]
    more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
    return paths[0] + more


def _open_witness(
    bearing: Mapping[str, Sequence[SemanticFlag]], opened: Sequence[OpenPlace], doubts: Sequence[Doubt], seen: int
) -> Witness:
    facts: list[Mapping[str, object]] = [
        {
            "type": each.why,
            "path": each.path,
            "line": each.line,
            "column": each.column + 1,
            "content": each.shown,
            "provenance": WRITTEN if each.choice == "all" else SYNTACTIC,
        }
        for each in opened
    ]
    facts += [
        {"type": flag.kind, "path": path, "line": flag.line, "content": flag.what, "provenance": SYNTACTIC}
        for path, flags in bearing.items()
        for flag in flags
    ]
    kinds = dict.fromkeys(each.why for each in opened)
    checklist = [Doubt(kind, *_OPEN[kind], "read the places and choose") for kind in kinds]
    checklist += [
        Doubt("ambiguous_file", f"What does {path} define when it runs?", "one definition of the name", "read the file")
        for path in bearing
    ]
    failed = [f"every use is resolved: {each.path}:{each.line} is not" for each in opened]
    failed += [f"every file is certain: {path} is ambiguous" for path in bearing]
    failed += [doubt.question for doubt in doubts]
    return Witness(
        seen,
        len(facts) > MAX_FACTS or len(failed) > MAX_FACTS,
        tuple(failed[:MAX_FACTS]),
        tuple(facts[:MAX_FACTS]),
        (*checklist[:MAX_FACTS], *doubts),
        may_force=True,
    )
