"""What a long text says of files: which it names, whose definitions it names, and which hold its messages."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from cairn.base import lazy
from cairn.search.mergedviews import MergedViews
from cairn.search.pattern import parse_literal
from cairn.search.report import JOINT, Report
from cairn.search.signals import Array
from cairn.store import FileAt, FileRow, FileTest, SnapshotView, SymbolRow
from cairn.syntax.filekind import kinds_of

_MOST_HOLDERS = 60
"""A message whose words so many files may hold says nothing of where it comes from."""
_MOST_SAID = 1.5
_MOST_MENTIONED = 2.0
_MODULE_SHARE = 0.7
_NAMED_WELL = 2.5
"""So much of what a text names leaves no doubt about a file; less counts for less, whatever the other files have."""
_MOST_NAMED = 200
"""Where more files are named, too many are called alike."""
_ASIDE = frozenset(("test", "docs"))
"""They repeat messages that others raise."""
_SLASH = lazy.expression(r"[/\\]")
_Worths = Sequence[tuple[Sequence[str], float]]
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


def files_mentioned(view: SnapshotView | MergedViews, report: Report) -> set[FileAt]:
    """Files that a text names by their path, or as the module that they are; bare names unless they are many."""
    said, dotted = _names_in(report)
    if not said and not dotted:
        return set()
    names = {parts[-1] for parts, _ in said}
    stems = {part for parts, _ in dotted for part in parts[1:]}

    def are_named(share: float) -> FileTest:
        def is_named(file: FileRow, _: object) -> bool:
            name = file.path_key.rpartition("/")[2]
            may_be = name in names or name.partition(".")[0] in stems or name.startswith(_FRONT_NAMES)
            return may_be and _mention(file.path_key, said, dotted, share) > 0

        return is_named

    found = view.files_where(are_named(1.0))
    return found if len(found) <= _MOST_NAMED else view.files_where(are_named(0.0))


def mentioned(report: Report, paths: Sequence[str]) -> Array:
    """How surely a text names each file: by its path, or by the module that it is."""
    said, dotted = _names_in(report)
    alike = Counter(path.rpartition("/")[2] for path in paths)
    # A name alone means every file that is called so.
    shares = [1.0 / alike[path.rpartition("/")[2]] for path in paths]
    found = [_mention(path, said, dotted, share) for path, share in zip(paths, shares, strict=True)]
    return np.minimum(np.array(found, dtype=np.float64), _MOST_MENTIONED)


def _names_in(report: Report) -> tuple[_Worths, _Worths]:
    """The paths and the dotted names of a text, by their parts."""
    said = [(_SLASH.split(path), worth) for path, worth in report.paths.items()]
    return said, [(JOINT.split(name), worth) for name, worth in report.modules.items()]


def _mention(path: str, said: _Worths, dotted: _Worths, share: float) -> float:
    """How surely one of some names is that of a file; a bare name counts but a `share`."""
    parts = path.split("/")
    best = 0.0
    for names, worth in said:
        common = _common_end(parts, names)
        best = max(best, worth * (1.0 if common > 1 else share if common else 0.0))
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
