"""What a change of a signature comes to: places that are changed, open ones, and reasons against it."""

from collections.abc import Iterable, Iterator, Sequence

from cairn.base.values import dataclass, field
from cairn.edit.gate.account import IN_CODE
from cairn.edit.signature.brackets import TextChange
from cairn.edit.signature.callers import Caller
from cairn.edit.signature.heads import SignatureHead
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.values import (
    CODE_TOO,
    LIKELY_TOO,
    PROVEN_ONLY,
    SEMANTIC,
    SYNTACTIC,
    Construct,
    EditChoice,
    Mention,
    OpenPlace,
    Spot,
)
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.resolve import Resolver
from cairn.graph.semantics import SEMANTIC as INDEXED

_TITLES = {
    PROVEN_ONLY: "only the definitions, and the calls that are proven",
    LIKELY_TOO: "these, and the likely calls",
    CODE_TOO: "these, and all open calls",
}


@dataclass(frozen=True, slots=True)
class SignatureGround:
    """What a change is judged by: the functions, and all that is known of the tree."""

    resolver: Resolver
    sources: SourceFiles
    name: str
    heads: tuple[SignatureHead, ...]
    """The one that was asked for first."""
    python: bool


@dataclass(slots=True)
class SignatureOutcome:
    """What a change comes to, as it is found out."""

    spots: list[Spot] = field(default_factory=list)
    opened: list[tuple[OpenPlace, Spot | None]] = field(default_factory=list)
    constructs: list[Construct] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    """Files that it was judged by beside those."""

    def change_head(self, head: SignatureHead, changes: Iterable[TextChange]) -> None:
        """Change a definition."""
        self.spots += (spot_of(head.source, each, SYNTACTIC) for each in changes)

    def change_call(self, caller: Caller, change: TextChange, why: str = "") -> None:
        """Change a call if it is proven to be one of the function; otherwise, or with a reason, it is asked about."""
        spot = spot_of(caller.source, change, SEMANTIC if caller.use.layer == INDEXED else SYNTACTIC)
        if caller.use.tier == PROVEN and not why:
            self.spots.append(spot)
        else:
            choice = LIKELY if caller.use.tier == LIKELY and not why else IN_CODE
            self.open_call(caller, why or "unresolved_use", choice, spot)

    def open_call(self, caller: Caller, why: str, choice: str = "", spot: Spot | None = None) -> None:
        """A call that may be meant; without a spot nothing can be done about it here."""
        use = caller.use
        shown = caller.source.text.shown(use.line)
        self.opened.append((OpenPlace(use.path, use.line, use.column, why, shown, choice), spot))

    def choices(self, kinds: int) -> Iterator[EditChoice]:
        """The ways to go on, each the one before it and more; if two change the same, only the narrower one."""
        risk = "low" if kinds == 0 else "medium" if kinds == 1 else "high"
        spots = list(self.spots)
        yield EditChoice(PROVEN_ONLY, _TITLES[PROVEN_ONLY], risk, outermost(spots))
        for choice, group in ((LIKELY_TOO, LIKELY), (CODE_TOO, IN_CODE)):
            more = [spot for place, spot in self.opened if place.choice == group and spot is not None]
            if more:
                spots += more
                yield EditChoice(choice, _TITLES[choice], risk, outermost(spots))


def spot_of(source: SourceFile, change: TextChange, provenance: str) -> Spot:
    """A change of some bytes as a place that is checked before it is written."""
    text = source.text
    old = source.data[change.start : change.end].decode()
    return text.spot(source.path, *text.place(change.start), old, provenance, new=change.new.decode())


def outermost(spots: Sequence[Spot]) -> tuple[Spot, ...]:
    """Places without those that lie within another: what is removed with the whole needs no change of its own."""
    kept: list[Spot] = []
    for spot in sorted(spots, key=lambda each: (each.path, each.line, each.column, -len(each.text))):
        last = kept[-1] if kept else None
        if last is None or last.path != spot.path or _end(last) <= (spot.line, spot.column):
            kept.append(spot)
    return tuple(kept)


def _end(spot: Spot) -> tuple[int, int]:
    lines = spot.text.encode().split(b"\n")
    return spot.line + len(lines) - 1, len(lines[-1]) + (spot.column if len(lines) == 1 else 0)
