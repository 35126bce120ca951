"""What of an edit the user takes, whatever kind of edit it is."""

from cairn.base.values import dataclass
from cairn.edit.source.values import ALL_TOO, LADDER, PROVEN_ONLY


@dataclass(frozen=True, slots=True)
class Choosing:
    """The answer to the question of a plan; none yet where nothing is named."""

    take: str = ""
    """Choices with commas between them."""
    only: tuple[str, ...] = ()
    """Paths from the root on, with a line and a column where those are meant."""
    excluded: tuple[str, ...] = ()

    @property
    def is_given(self) -> bool:
        """Whether the user has chosen."""
        return bool(self.take or self.only or self.excluded)

    @property
    def choices(self) -> str:
        """The widest choice with what goes beside it; whoever names places alone means those of any choice."""
        named = [each.strip() for each in self.take.split(",") if each.strip()]
        if not named and self.only:
            named = [ALL_TOO]
        widest = max(map(LADDER.index, {PROVEN_ONLY, *named} & {*LADDER}))
        return ",".join((LADDER[widest], *dict.fromkeys(each for each in named if each not in LADDER)))
