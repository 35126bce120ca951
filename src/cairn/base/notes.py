"""What one should know of an answer or of a sync, as values: a code, its fields, and what would lift a limit.

A sentence is the business of the surface that shows it: each calls a parameter by another name.
"""

from collections.abc import Mapping
from typing import Any

from cairn.base.values import dataclass, field, replace

NAMES_LIKE = "names_like"
"""That nothing bears a name, with those that are spelt almost like it."""
ELSEWHERE = "defined_elsewhere"
"""That a name is defined, but not where the answer was restricted to."""
LAST_INDEX_FAILED = "last_index_failed"
STALE_CREATE_NOTE = (
    "Local snapshot claims indexed, but completion proof is missing/invalid; treating as not_indexed for create."
)


@dataclass(frozen=True, slots=True)
class Lift:
    """The parameter of the question that lifts a limit, by the one name that it has inside, and its value."""

    parameter: str
    value: int | None = None
    """None: as far as the question allows, which its declaration fills in."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know; the fields are plain values that JSON can hold.

    The field `limit` of a note on what was cut is the value that cut it.
    """

    code: str
    fields: Mapping[str, object] = field(default_factory=dict)
    lift: Lift | None = None

    def of(self, root: str) -> "Note":
        """The same of one among several codebases."""
        return Note(self.code, {**self.fields, "root": root}, self.lift)

    def within(self, most: int | None) -> "Note":
        """The same with a lift that goes no further than a bound; without one where that is no further than now."""
        lift, now = self.lift, self.fields.get("limit")
        if lift is None or most is None:
            return self
        value = most if lift.value is None else min(lift.value, most)
        lifts = not isinstance(now, int) or value > now
        return replace(self, lift=replace(lift, value=value) if lifts else None)

    def document(self) -> dict[str, object]:
        """The note as JSON: its code, its fields, and what would lift it."""
        lift = self.lift
        said = {"lift": {"parameter": lift.parameter, "value": lift.value}} if lift is not None else {}
        return {"code": self.code, **self.fields, **said}


def note_from(document: Mapping[str, Any]) -> Note:
    """What `document` was made of."""
    fields = {name: value for name, value in document.items() if name not in ("code", "lift")}
    lift = document.get("lift")
    return Note(document["code"], fields, Lift(lift["parameter"], lift["value"]) if lift is not None else None)
