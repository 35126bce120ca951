"""What Cairn's answers weighed beside the whole files that they name, by codebase and day."""

from collections.abc import Iterable

from cairn.base.values import dataclass, field
from cairn.codebase.ledger import Entry


@dataclass(slots=True)
class Sums:
    """Answers, what they weighed, and what the files that they name have."""

    questions: int = 0
    bytes_delivered: int = 0
    whole_files_bytes: int = 0
    """An estimate: each file that an answer names, once an answer, as if it had been read whole."""

    def add(self, entry: Entry) -> None:
        """Take in one answer."""
        self.questions += 1
        self.bytes_delivered += entry.bytes
        self.whole_files_bytes += entry.whole_bytes


@dataclass(slots=True)
class OfCodebase:
    """The sums of one codebase: in all, by kind of question and by day."""

    root: str
    total: Sums = field(default_factory=Sums)
    kinds: dict[str, Sums] = field(default_factory=dict)
    days: dict[str, Sums] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Take in one answer."""
        own = (self.total, self.kinds.setdefault(entry.question, Sums()), self.days.setdefault(entry.day, Sums()))
        for sums in own:
            sums.add(entry)


@dataclass(frozen=True, slots=True)
class Gains:
    """What was asked in some days."""

    days: int
    recording: bool
    total: Sums
    codebases: tuple[OfCodebase, ...]
    unreadable_lines: int = 0


def gains_of(entries: Iterable[Entry], days: int, *, recording: bool, unreadable: int) -> Gains:
    """Sum up; codebases that were asked most come first."""
    total, found = Sums(), dict[str, OfCodebase]()
    for entry in entries:
        total.add(entry)
        found.setdefault(entry.root, OfCodebase(entry.root)).add(entry)
    ordered = sorted(found.values(), key=lambda each: (-each.total.questions, each.root))
    return Gains(days, recording, total, tuple(ordered), unreadable)
