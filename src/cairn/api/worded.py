"""Answers as Python tells them: with their notes as values, and as sentences in which a parameter is a keyword."""

from typing import Generic, TypeVar

from cairn.base.notes import Note
from cairn.base.values import as_dict
from cairn.codebase import bodies
from cairn.codebase.several import values
from cairn.questions.wording import Spelling, worded
from cairn.search import budget

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
PARAMETERS = ("limit", "nodes", "fan_out", "notes", "depth", "budget_tokens", "paths")
SPELLING = Spelling({name: name for name in PARAMETERS})


class Noted:
    """What has notes says them as sentences too."""

    __slots__ = ()
    notes: tuple[Note, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(worded(note, SPELLING) for note in self.notes)


class Told(Noted, bodies.Told[T_co], Generic[T_co]):
    """A value from one snapshot, and what one should know about it."""

    __slots__ = ()


class SeveralDefinitions(Noted, values.SeveralDefinitions):
    """Definitions from all codebases that answered."""

    __slots__ = ()


class SeveralUses(Noted, values.SeveralUses):
    """Uses from all codebases that answered, each codebase's as it told them."""

    __slots__ = ()


class Fitted(budget.Fitted):
    """What a budget lets through, what not, and how to get that."""

    __slots__ = ()

    @property
    def hint(self) -> str:
        """How to get the rest; empty when there is none."""
        return worded(self.note, SPELLING) if self.note is not None else ""


def told(value: bodies.Told[T]) -> Told[T]:
    return Told(**as_dict(value))


def several_definitions(value: values.SeveralDefinitions) -> SeveralDefinitions:
    return SeveralDefinitions(**as_dict(value))


def several_uses(value: values.SeveralUses) -> SeveralUses:
    own = {root: told(each) for root, each in value.told.items()}
    return SeveralUses(**as_dict(value) | {"told": own})


def fitted(value: budget.Fitted) -> Fitted:
    return Fitted(**as_dict(value))
