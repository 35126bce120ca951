"""What a long text says of files: which it names, whose definitions it names, and which hold its messages."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from cairn.base import lazy
from cairn.search.mergedviews import MergedViews
from cairn.search.pattern import parse_literal
from cairn.search.report import JOINT, Report
from cairn.search.signals import Array
from cairn.store import FileAt, SnapshotView, SymbolRow
from cairn.syntax.filekind import kinds_of

_MOST_HOLDERS = 60
"""A message whose words so many files may hold says nothing of where it comes from."""
_MOST_SAID = 1.5
_MOST_MENTIONED = 2.0
_MODULE_SHARE = 0.7
_NAMED_WELL = 2.5
"""So much of what a text names leaves no doubt about a file; less counts for less, whatever the other files have."""
_ASIDE = frozenset(("test", "docs"))
"""They repeat messages that others raise."""
_SLASH = lazy.expression(r"[/\\]")
_FRONT_NAMES = ("__init__.", "index.", "mod.")


def saying(
    view: SnapshotView | MergedViews, messages: Collection[str], inside: Collection[FileAt] | None
) -> dict[FileAt, float]:
    """Files that hold a piece of a message word for word: the fewer hold it, the more it says."""
    found: dict[FileAt, float] = defaultdict(float)
    for message in messages:
        held = view.words.files_holding(parse_literal(message).clauses)
        if len(held) > _MOST_HOLDERS:
            continue
        there = [
            each.at
            for each in held
            if (inside is None or each.at in inside)
            and _ASIDE.isdisjoint(kinds_of(each.file.path_key, each.file.language))
            and message.encode() in view.rows.text_of(each.at)
        ]
        for at in there:
            found[at] = min(_MOST_SAID, found[at] + 1.0 / len(there))
    return found


def defining(report: Report, places: Sequence[FileAt], defined: Mapping[FileAt, Sequence[SymbolRow]]) -> Array:
    """How much of what a text names each file defines: the fewer define a name, the more it says."""
    named = {at: {row.name for row in rows} & report.names.keys() for at, rows in defined.items()}
    holders = Counter(name for names in named.values() for name in names)
    found = [sum(report.names[name] ** 0.5 / holders[name] for name in sorted(named.get(at, ()))) for at in places]
    named_by = np.array(found, dtype=np.float64)
    return named_by / max(float(named_by.max(initial=0.0)), _NAMED_WELL)


def mentioned(report: Report, paths: Sequence[str]) -> Array:
    """How surely a text names each file: by its path, or by the module that it is."""
    said = [(_SLASH.split(path), worth) for path, worth in report.paths.items()]
    dotted = [(JOINT.split(name), worth) for name, worth in report.modules.items()]
    alike = Counter(path.rpartition("/")[2] for path in paths)
    return np.array([min(_MOST_MENTIONED, _mention(path, said, dotted, alike)) for path in paths])


def _mention(
    path: str,
    said: Sequence[tuple[Sequence[str], float]],
    dotted: Sequence[tuple[Sequence[str], float]],
    alike: Mapping[str, int],
) -> float:
    parts = path.split("/")
    best = 0.0
    for names, worth in said:
        common = _common_end(parts, names)
        # A name alone means every file that is called so.
        best = max(best, worth * (1.0 if common > 1 else 1.0 / alike[parts[-1]] if common else 0.0))
    module = parts[:-1] if parts[-1].startswith(_FRONT_NAMES) else [*parts[:-1], parts[-1].partition(".")[0]]
    for names, worth in dotted:
        if any(module[-size:] == names[:size] for size in range(len(names), 1, -1)):
            best = max(best, _MODULE_SHARE * worth)
    return best


def _common_end(left: Sequence[str], right: Sequence[str]) -> int:
    common = 0
    while common < min(len(left), len(right)) and left[-1 - common] == right[-1 - common]:
        common += 1
    return common
