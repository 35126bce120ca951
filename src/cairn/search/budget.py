"""Fitting an answer into a budget of tokens: whole definitions first, signatures where bodies don't fit.

Pure: it takes units in order and a budget, and chooses the form of each. What counts is the text of a unit and the line
that names its place, and not what one surface or another writes around them: the same budget shows the same through
every door. A unit that is dropped is listed.
"""

from collections.abc import Sequence
from typing import Literal

from cairn.base.notes import Lift, Note
from cairn.base.values import dataclass
from cairn.config.project import MAX_BUDGET_TOKENS
from cairn.kernel.tokens import token_cost

Form = Literal["definition", "chunk", "signature"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file in one of the forms in which a place can be shown."""

    form: Form
    text: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Unit:
    """A place in all its forms, the best first."""

    path: str
    symbol: str
    whole: Piece
    """The definition meant; the chunk where there is none."""
    signature: Piece
    part: Piece | None = None
    """The chunk that matched, where the whole is more than that."""
    root: str = ""
    """The codebase, where several are asked."""


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A unit in the form that fits."""

    index: int
    """Its place among the units."""
    piece: Piece
    tokens: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A unit that didn't fit in any form, and what its full form would cost."""

    path: str
    start_line: int
    end_line: int
    tokens: int
    root: str = ""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The units that fit into a budget, and those that don't."""

    budget_tokens: int
    used_tokens: int
    full_tokens: int
    """The cost of all units in full."""
    shown: tuple[ShownUnit, ...]
    left_out: tuple[LeftOut, ...]
    shortened: int = 0
    """How many units are shown in a shorter form."""

    @property
    def is_cut(self) -> bool:
        """Whether anything is shortened or left out."""
        return bool(self.left_out or self.shortened)

    @property
    def note(self) -> Note | None:
        """How to get the rest; None when there is none."""
        if not self.is_cut:
            return None
        fields = {"limit": self.budget_tokens, "full_tokens": self.full_tokens}
        return Note("budget_cut", fields, Lift("budget_tokens", self.full_tokens)).within(MAX_BUDGET_TOKENS)


def written(unit: Unit, piece: Piece) -> str:
    """A piece as plain text: its path and lines, then its text, and an empty line."""
    place = f"{unit.root}/{unit.path}" if unit.root else unit.path
    head = (
        f"{place}:{piece.start_line}-{piece.end_line}",
        unit.symbol,
        piece.form if piece.form == "signature" else "",
    )
    return "  ".join(filter(None, head)) + f"\n{piece.text.removesuffix(chr(10))}\n\n"


def fit(units: Sequence[Unit], budget_tokens: int) -> Fitted:
    """Choose forms in order of rank.

    What is shown is always the beginning of the order: a worse place never replaces a better one for being shorter.
    """

    def cost(unit: Unit, piece: Piece) -> int:
        return token_cost(written(unit, piece))

    shown: list[ShownUnit] = []
    left_out: list[LeftOut] = []
    room = budget_tokens
    full = 0
    for index, unit in enumerate(units):
        whole = cost(unit, unit.whole)
        full += whole
        signature = cost(unit, unit.signature)
        if not left_out and whole <= room:
            shown.append(ShownUnit(index, unit.whole, whole))
        elif not left_out and signature <= room:
            # If a body doesn't fit, its room goes to the units after it.
            shown.append(ShownUnit(index, unit.signature, signature))
        else:
            left_out.append(LeftOut(unit.path, unit.whole.start_line, unit.whole.end_line, whole, unit.root))
            continue
        room -= shown[-1].tokens
    for at, item in enumerate(shown):
        part = units[item.index].part
        if item.piece.form == "signature" and part is not None:
            more = cost(units[item.index], part)
            if item.tokens < more <= room + item.tokens:
                shown[at] = ShownUnit(item.index, part, more)
                room += item.tokens - more
    shortened = sum(item.piece is not units[item.index].whole for item in shown)
    return Fitted(budget_tokens, budget_tokens - room, full, tuple(shown), tuple(left_out), shortened)
