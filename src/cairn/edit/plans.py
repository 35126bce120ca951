"""Plans that wait for the user, and earlier decisions: control state, kept with the refresh jobs.

A plan holds the request and what the draft relied on, not the edits: those are computed again when it is applied, and
must come out the same. A decision holds the user's choice. It is offered again if the same doubt comes back, but is
never applied by itself.
"""

import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from cairn.base.ulid import is_ulid, new_ulid
from cairn.base.values import dataclass
from cairn.edit.source.values import EditDraft, EditRequest, Spot
from cairn.semantic.control import control_file
from cairn.store.layout import Layout

TTL_S = 300.0
_KEPT_DECISIONS = 2_000
_ANY_HEAD = "*"
"""What stands for the commit in an answer that holds whatever HEAD is."""


@dataclass(frozen=True, slots=True)
class EditPlan:
    """A requested edit, and what its draft relied on."""

    id: str
    created_at: float
    request: EditRequest
    status: str
    head: str | None
    hashes: Mapping[str, str]
    edits: str
    """A digest of everything that it would change."""
    signature: str = ""
    choice: str = ""
    only: tuple[str, ...] = ()
    """The places that are changed, as FILE:LINE or FILE:LINE:COLUMN; all of the choice where none is named."""
    excluded: tuple[str, ...] = ()

    def is_alive(self, now: float) -> bool:
        """Whether the plan may still be applied."""
        return 0 <= now - self.created_at < TTL_S


def digest_of(spots: Iterable[Spot], moves: Mapping[str, str] | None = None) -> str:
    """A digest of places, their surroundings and new texts, and of new paths, by which two drafts are compared."""
    said = sorted(
        (spot.path, spot.line, spot.column, spot.text, spot.before, spot.after, spot.form, spot.new or "")
        for spot in spots
    )
    return hashlib.sha256(json.dumps([said, sorted((moves or {}).items())]).encode()).hexdigest()


class Plans:
    """The plans and decisions of one store."""

    def __init__(self, layout: Layout, *, clock: Callable[[], float] = time.time) -> None:
        self._file = control_file(layout)
        self._clock = clock

    def now(self) -> float:
        """The time by which plans age."""
        return self._clock()

    def keep(
        self,
        request: EditRequest,
        draft: EditDraft,
        edits: str,
        head: str | None,
        *,
        choice: str = "",
        only: Iterable[str] = (),
        excluded: Iterable[str] = (),
    ) -> EditPlan:
        """Keep a plan for a draft until it is applied or too old; `edits` is the digest of what it would change."""
        now = self._clock()
        plan = EditPlan(
            new_ulid(),
            now,
            request,
            draft.status,
            head,
            dict(draft.hashes),
            edits,
            draft.signature,
            choice,
            tuple(only),
            tuple(excluded),
        )
        with self._file.writing() as connection:
            connection.execute("DELETE FROM plans WHERE created_at < ? OR created_at > ?", (now - TTL_S, now + TTL_S))
            connection.execute("INSERT INTO plans VALUES (?, ?, ?)", (plan.id, now, _encoded(plan)))
        return plan

    def get(self, plan_id: str) -> EditPlan | None:
        """A plan that is still alive."""
        if not is_ulid(plan_id):
            return None
        with self._file.reading() as connection:
            if connection is None:
                return None
            row = connection.execute("SELECT document FROM plans WHERE id = ?", (plan_id,)).fetchone()
        plan = _decoded(row["document"]) if row is not None else None
        return plan if plan is not None and plan.is_alive(self._clock()) else None

    def drop(self, plan_id: str) -> None:
        """Remove a plan."""
        with self._file.writing() as connection:
            connection.execute("DELETE FROM plans WHERE id = ?", (plan_id,))

    def decide(self, plan: EditPlan, choice: str, proof: Mapping[str, Any]) -> None:
        """Remember what was chosen, of what doubt, at which commit and with which contents."""
        if plan.head is None:
            return  # Without HEAD nobody could tell later whether the decision still applies.
        hashes = json.dumps(dict(sorted(plan.hashes.items())))
        with self._file.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?, ?)",
                (plan.signature, plan.head, hashes, choice, json.dumps(dict(proof)), self._clock()),
            )
            connection.execute(
                "DELETE FROM decisions WHERE (signature, head) NOT IN "
                "(SELECT signature, head FROM decisions ORDER BY created_at DESC LIMIT ?)",
                (_KEPT_DECISIONS,),
            )

    def settle(self, keys: Iterable[str], choice: str, edit_id: str) -> None:
        """Remember that the user has answered for some constructs: until they change, nobody is asked about them."""
        rows = [(_construct(key), _ANY_HEAD, "{}", choice, edit_id, self._clock()) for key in keys]
        if rows:
            with self._file.writing() as connection:
                connection.executemany("INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?, ?)", rows)

    def unsettle(self, edit_id: str) -> None:
        """Forget what was answered with an edit: that it is taken back is the best sign that the answer was wrong."""
        with self._file.writing() as connection:
            connection.execute("DELETE FROM decisions WHERE head = ? AND proof = ?", (_ANY_HEAD, edit_id))

    def settled(self, keys: Collection[str]) -> frozenset[str]:
        """Those of some constructs that the user has answered for."""
        with self._file.reading() as connection:
            if connection is None or not keys:
                return frozenset()
            rows = connection.execute("SELECT signature FROM decisions WHERE head = ?", (_ANY_HEAD,)).fetchall()
        known = {row["signature"] for row in rows}
        return frozenset(key for key in keys if _construct(key) in known)

    def decided(self, signature: str, head: str | None, hashes: Mapping[str, str]) -> str:
        """The choice that was made in the very same situation; empty if there was none."""
        with self._file.reading() as connection:
            if connection is None or head is None:
                return ""
            row = connection.execute(
                "SELECT hashes, choice FROM decisions WHERE signature = ? AND head = ?", (signature, head)
            ).fetchone()
        if row is None or json.loads(row["hashes"]) != dict(hashes):
            return ""
        return str(row["choice"])


def _construct(key: str) -> str:
    return hashlib.sha256(f"construct {key}".encode()).hexdigest()


def _encoded(plan: EditPlan) -> str:
    said = {name: getattr(plan, name) for name in EditPlan.__match_args__}
    request = {name: getattr(plan.request, name) for name in EditRequest.__match_args__}
    return json.dumps(said | {"request": request})


def _decoded(text: str) -> EditPlan | None:
    said = json.loads(text)
    if "request" not in said:
        return None  # An earlier version kept it.
    given = {"request": EditRequest(**said["request"]), "only": tuple(said["only"])}
    return EditPlan(**{**said, **given, "excluded": tuple(said["excluded"])})
