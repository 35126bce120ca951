"""Renames in a real project: what the gate says of its definitions, what others do, and whether that is right.

    python -m bench.renames FOLDER --language python --work FOLDER [--indexer] [--peer NAME=COMMAND]
        [--check COMMAND --sample 20]

So many definitions of each kind are given a name that nobody has. What was found is kept in the work folder, so that
each part can be done for itself: the gate without and with an indexer's facts, peers, and the checks of the project
that judge every rename, in a copy. Tables are made of everything that is kept: `--table` of several folders.
"""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench import renametable
from bench.processes import ChildError
from bench.renamejudge import RIGHT, Edit, Judge, in_comment, key_of, settled
from bench.renamepeers import peer
from bench.renamesymbols import KINDS, Place, chosen, fresh
from cairn.base.errors import CairnError
from cairn.codebase.codebase import Codebase
from cairn.edit.gate import draft as drafting
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.texts import FileText, written
from cairn.edit.source.values import APPLICABLE, NEEDS_DECISION, REFUSED, EditDraft, Spot
from cairn.graph.occurrences import tree_in
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.gates import NonOkReason
from cairn.semantic.states import ProbedContexts
from cairn.store import SnapshotView

COUNT = 100
SAMPLE = 20
SYNTACTIC, INDEXED = "without an indexer", "with an indexer"
PASSES, ASKS, REFUSES = "passes", "asks", "refuses"
_CHOICES = ("proven", "likely", "code", "all")


@dataclass(slots=True)
class Answer:
    """What somebody makes of a rename."""

    status: str
    why: dict[str, str] = field(default_factory=dict)
    """Codes, each with the first place of it."""
    edits: dict[str, list[Edit]] = field(default_factory=dict)
    """By choice; what passes has `proven` alone."""


@dataclass(slots=True)
class Row:
    """A definition, and what was answered."""

    place: Place
    answers: dict[str, Answer] = field(default_factory=dict)


@dataclass(slots=True)
class Kept:
    """Everything that is known of a project."""

    name: str
    rows: list[Row] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)
    """What the checks say of edits, by their key."""


def load(path: Path) -> Kept:
    """What was kept in a file, and what the checks said in the one beside it."""
    told = _read(path, {"name": path.stem, "rows": []})
    rows = [
        Row(Place(**each["place"]), {who: _answer(said) for who, said in each["answers"].items()})
        for each in told["rows"]
    ]
    return Kept(told["name"], rows, _read(_beside(path), {}))


def _beside(path: Path) -> Path:
    # A file of their own: those who judge and those who answer may be at work at once.
    return path.with_suffix(".verdicts")


def _read(path: Path, nothing: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else nothing
    return found


def _answer(told: dict[str, Any]) -> Answer:
    return Answer(told["status"], told["why"], {name: settled(edits) for name, edits in told["edits"].items()})


def save(path: Path, kept: Kept) -> None:
    """Keep the answers."""
    _write(path, {"name": kept.name, "rows": [asdict(row) for row in kept.rows]})


def _write(path: Path, told: dict[str, Any]) -> None:
    unfinished = path.with_suffix(f"{path.suffix}.part")
    unfinished.write_text(json.dumps(told), encoding="utf-8")
    unfinished.replace(path)


def ask(work: Path, root: Path, language: str, count: int, kept: Kept, path: Path, *, indexer: bool) -> None:
    """What the gate says of the definitions; they are chosen the first time, and each is asked and kept once."""
    who = INDEXED if indexer else SYNTACTIC
    home = work / "homes" / f"{'indexed' if indexer else 'plain'}-{root.name}"
    settings = {"CAIRN_HOME": str(home), "CAIRN_EMBED_PROVIDER": "hashing"}
    with patch.dict(os.environ, settings), Codebase(str(root)) as codebase:
        # A work folder may hold an index of another version.
        codebase.index(SyncOptions(reindex=codebase.verdict().reason is NonOkReason.REQUIRES_REINDEX))
        if indexer:
            _refresh(codebase)
        with codebase.view() as view:
            if not kept.rows:
                kept.rows = [Row(place) for place in chosen(view, language, count)]
            known = ProbedContexts(view, codebase.now().is_there)
            # One snapshot's files and world serve all drafts: they are the same to each, and dear to make.
            with (
                patch.object(drafting, "resolver_of", cache(drafting.resolver_of)),
                patch.object(drafting, "SourceFiles", cache(SourceFiles)),
                patch("cairn.graph.world.tree_in", cache(tree_in)),
                patch("cairn.edit.gate.thing.tree_in", cache(tree_in)),
            ):
                for row in sampled(kept.rows, count):
                    if who not in row.answers:
                        row.answers[who] = _asked(view, known, row.place)
                        save(path, kept)


def _refresh(codebase: Codebase) -> None:
    refreshing = codebase.refreshing
    if not any(each.status.value == "completed" for each in refreshing.queue.all()):
        asked = refreshing.ask(refreshing.wish(everything=True), "bench")
        for job in refreshing.wait([each.job.id for each in asked if each.job is not None]):
            if job.status.value != "completed":
                raise ChildError(f"the facts of {job.context} could not be made: {job.failure}")


def _asked(view: SnapshotView, known: ProbedContexts, place: Place) -> Answer:
    try:
        found = drafting.draft(view, known, place.path, place.line, place.column + 1, fresh(place.name))
    except CairnError as error:
        return Answer(REFUSES, {"error": str(error)})
    choices = {each.choice: each.spots for each in found.candidates if each.choice in _CHOICES}
    choices.setdefault("proven", found.spots)
    edits = {name: _edits(view, spots, fresh(place.name)) for name, spots in choices.items()}
    if found.status in APPLICABLE:
        return Answer(PASSES, {}, {"proven": edits["proven"]})
    if found.status == NEEDS_DECISION:
        return Answer(ASKS, dict(_why(found)), edits)
    return Answer(REFUSES, {found.status if found.status != REFUSED else "refused": " ".join(found.reasons)})


def _why(found: EditDraft) -> Iterator[tuple[str, str]]:
    for place in reversed(found.opened):
        yield place.why, f"{place.path}:{place.line} {place.shown}"
    for each in reversed(found.constructs):
        yield each.kind, f"{each.path}:{each.line} {each.why}: {each.shown}"
    if not found.opened and not found.constructs and found.witness is not None:
        for doubt in found.witness.checklist:
            yield doubt.code, doubt.question


def _edits(view: SnapshotView, spots: Sequence[Spot], new: str) -> list[Edit]:
    found = []
    for spot in spots:
        start = FileText(view.rows.whole_text_of(spot.path) or b"").offset(spot.line, spot.column)
        found.append(Edit(spot.path, start, start + len(spot.text.encode()), written(spot, new)))
    return settled(found)


def ask_peer(root: Path, language: str, count: int, kept: Kept, named: str) -> None:
    """What somebody else makes of the same renames."""
    who, _, command = named.partition("=")
    with peer(command, root, language) as other:
        for row in sampled(kept.rows, count):
            found = other.rename(row.place)
            row.answers[who] = (
                Answer(REFUSES, {"refused": found})
                if isinstance(found, str)
                else Answer(PASSES, {}, {"proven": [edit for edit in found if not in_comment(root, edit)]})
            )


def sampled(rows: Sequence[Row], sample: int) -> list[Row]:
    """The first definitions of each kind, one of each after the other."""
    kinds = [[row for row in rows if row.place.kind == kind][:sample] for kind in KINDS]
    return [each[at] for at in range(sample) for each in kinds if at < len(each)]


def judge(work: Path, root: Path, checks: Sequence[str], sample: int, kept: Kept, path: Path) -> None:
    """Try every rename of a sample: for what is asked the choices in their order, until one is right."""
    court = Judge(root, work / "copies" / root.name, checks)
    for row in sampled(kept.rows, sample):
        for answer in row.answers.values():
            for edits in tried(answer):
                key = key_of(edits)
                if key not in kept.verdicts:
                    kept.verdicts[key] = court.verdict(edits)
                    _write(_beside(path), kept.verdicts)
                if kept.verdicts[key] == RIGHT:
                    break


def tried(answer: Answer) -> list[list[Edit]]:
    """The choices of an answer in their order, each edit once."""
    found: list[list[Edit]] = []
    for name in _CHOICES:
        if answer.edits.get(name) and answer.edits[name] not in found:
            found.append(answer.edits[name])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.renames", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True, help="where to keep what is found")
    parser.add_argument("--language", help="as Cairn names it")
    parser.add_argument("--count", type=int, default=COUNT, help="definitions of each kind")
    parser.add_argument("--gate", action="store_true", help="ask the gate, without an indexer's facts")
    parser.add_argument("--indexer", action="store_true", help="ask the gate, with the facts of an indexer")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="NAME=COMMAND", help="rope's Python, or a server"
    )
    parser.add_argument("--check", action="append", default=[], metavar="COMMAND", help="what judges (repeatable)")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="definitions of each kind that are judged")
    parser.add_argument("--show", action="store_true", help="list what asks, and what is wrong")
    options = parser.parse_args()
    work: Path = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    everything = []
    for folder in options.folders:
        root = folder.resolve()
        path = work / f"{root.name}.json"
        kept = load(path)
        for indexer in [False] * options.gate + [True] * options.indexer:
            ask(work, root, options.language, options.count, kept, path, indexer=indexer)
        for named in options.peer:
            ask_peer(root, options.language, options.count, kept, named)
            save(path, kept)
        if options.check:
            judge(work, root, options.check, options.sample, kept, path)
        everything.append(kept)
    print(renametable.told(everything))
    if options.show:
        print(*renametable.shown(everything), sep="\n")


if __name__ == "__main__":
    main()
