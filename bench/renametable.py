"""The tables of renames: what passes, what asks, and what is right."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from bench.renamejudge import RIGHT, key_of
from bench.renamesymbols import KINDS

if TYPE_CHECKING:
    from bench.renames import Answer, Kept, Row

_STATUSES = ("passes", "asks", "refuses")


def told(everything: Sequence["Kept"]) -> str:
    """All tables of what is kept."""
    askers = list(dict.fromkeys(who for kept in everything for row in kept.rows for who in row.answers))
    own = [who for who in askers if "indexer" in who]
    others = [who for who in askers if who not in own]
    parts = (
        _gates(everything, own),
        _reasons(everything, own),
        _beside(everything, own, others),
        _judged(everything, askers),
    )
    return "\n\n".join("\n".join(part) for part in parts)


def _gates(everything: Sequence["Kept"], own: Sequence[str]) -> Iterator[str]:
    yield f"| project | | {' | '.join(KINDS)} |"
    yield "| --- " * (2 + len(KINDS)) + "|"
    for kept in everything:
        for who in own:
            cells = []
            for kind in KINDS:
                answers = [row.answers[who] for row in kept.rows if row.place.kind == kind and who in row.answers]
                count = Counter(answer.status for answer in answers)
                cells.append(" / ".join(str(count[status]) for status in _STATUSES) if answers else "-")
            if any(cell != "-" for cell in cells):
                yield f"| {kept.name} | {who} | {' | '.join(cells)} |"


def _reasons(everything: Sequence["Kept"], own: Sequence[str]) -> Iterator[str]:
    for kept in everything:
        for who in own:
            answers = [row.answers[who] for row in kept.rows if who in row.answers]
            count = Counter(code for answer in answers for code in answer.why)
            alone = Counter(next(iter(answer.why)) for answer in answers if len(answer.why) == 1)
            parts = [f"{code} {number} ({alone[code]} alone)" for code, number in count.most_common()]
            if answers:
                yield f"- {kept.name}, {who}: {', '.join(parts) or 'nothing asked'}."


def _judged(everything: Sequence["Kept"], askers: Sequence[str]) -> Iterator[str]:
    yield "| project | | judged | right | wrong | asks: right as proven | right by a choice | never right | refuses |"
    yield "| --- " * 9 + "|"
    for kept in everything:
        rows = [row for row in kept.rows if _is_judged(kept, row)]
        for who in askers if rows else ():
            count = Counter(outcome(kept, row.answers[who]) for row in rows if who in row.answers)
            if count:
                names = ("right", "wrong", "proven", "choice", "never", "refused")
                yield f"| {kept.name} | {who} | {count.total()} | {' | '.join(str(count[name]) for name in names)} |"


def _is_judged(kept: "Kept", row: "Row") -> bool:
    """Whether everyone's answer was tried, so that all are counted by the same renames."""
    outcomes = {outcome(kept, answer) for answer in row.answers.values()}
    return "untried" not in outcomes and outcomes != {"refused"}


def _beside(everything: Sequence["Kept"], own: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    yield "| project | | beside | both rename | the same places | Cairn has more | the other has more | both |"
    yield "| --- " * 8 + "|"
    for kept in everything:
        for who, other in product(own, others):
            count: Counter[str] = Counter()
            for row in kept.rows:
                mine, theirs = (row.answers.get(each) for each in (who, other))
                if mine is not None and theirs is not None and mine.status == theirs.status == "passes":
                    count[_difference(mine, theirs)] += 1
            if count:
                cells = " | ".join(str(count[each]) for each in ("same", "more", "less", "both"))
                yield f"| {kept.name} | {who} | {other} | {count.total()} | {cells} |"


def _difference(mine: "Answer", theirs: "Answer") -> str:
    own, other = ({edit[:3] for edit in answer.edits["proven"]} for answer in (mine, theirs))
    return "same" if own == other else "more" if own > other else "less" if own < other else "both"


def verdict(kept: "Kept", answer: "Answer", choice: str = "proven") -> str:
    """What the checks say of an answer; empty if it was not tried."""
    edits = answer.edits.get(choice)
    return kept.verdicts.get(key_of(edits), "") if edits else ""


def outcome(kept: "Kept", answer: "Answer") -> str:
    """What became of an answer: right or wrong where it passes, and by which choice where it asks."""
    if answer.status == "refuses" or not any(answer.edits.values()):
        return "refused"
    proven = verdict(kept, answer) == RIGHT
    if answer.status == "passes":
        return "right" if proven else "wrong" if verdict(kept, answer) else "untried"
    if proven:
        return "proven"
    if not verdict(kept, answer):
        return "untried"
    return "choice" if any(verdict(kept, answer, choice) == RIGHT for choice in answer.edits) else "never"


def shown(everything: Sequence["Kept"]) -> Iterator[str]:
    """What is wrong, and what asks, one a line."""
    for kept in everything:
        for row in kept.rows:
            for who, answer in row.answers.items():
                yield from _line(kept, row, who, answer)


def _line(kept: "Kept", row: "Row", who: str, answer: "Answer") -> Iterator[str]:
    what = outcome(kept, answer)
    place = f"{kept.name}\t{row.place.kind}\t{row.place}\t{row.place.name}\t{who}\t{what}"
    if what in ("wrong", "never"):
        yield f"{place}\t{verdict(kept, answer)}"
    for code, first in answer.why.items():
        yield f"{place}\t{code}\t{first}"
