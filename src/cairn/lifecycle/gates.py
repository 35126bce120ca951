"""Whether a codebase may be read, and if not, why: pure functions from facts to a verdict.

The order is fixed: other settings come first, then a run under way, then the lack of an index.
"""

from enum import StrEnum

from cairn.base.values import dataclass, replace
from cairn.lifecycle.proof import Proof, ProofOutcome
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import DEAD, Failure, Tracked, is_dead


class NonOkReason(StrEnum):
    """The only reasons that a gate gives."""

    INDEXING = "indexing"
    REQUIRES_REINDEX = "requires_reindex"
    NOT_INDEXED = "not_indexed"


@dataclass(frozen=True, slots=True)
class CodebaseFacts:
    """All that a gate goes by."""

    root: str
    """The effective root: that of the tracked codebase, wherever in it the request points."""
    requested: str
    fingerprint: str
    """Of the settings as they are now."""
    tracked: Tracked | None = None
    proof: Proof | None = None
    """None where it was not asked for: while indexing, a marker counts as absent."""
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def state(self) -> State:
        """The state in the registry; one that has no row is not found."""
        return self.tracked.state if self.tracked is not None else State.NOT_FOUND


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gates say: `reason` is None where the codebase may be read."""

    facts: CodebaseFacts
    reason: NonOkReason | None = None
    stale: bool = False
    """The registry says indexed, and the store has no proof of it."""

    @property
    def passes(self) -> bool:
        """Whether the codebase may be read."""
        return self.reason is None

    @property
    def failure(self) -> Failure | None:
        """Why the last run failed, where it did."""
        tracked = self.facts.tracked
        return tracked.failure if tracked is not None and tracked.state is State.INDEXFAILED else None

    @property
    def probe_failed(self) -> bool:
        """Whether the store could not even be asked for its proof."""
        return self.facts.proof is not None and self.facts.proof.outcome is ProofOutcome.PROBE_FAILED


def as_seen(tracked: Tracked | None, now: float) -> Tracked | None:
    """A row as it is to be understood: a run whose process died has failed, though nobody wrote that down."""
    if tracked is not None and tracked.state is State.INDEXING and is_dead(tracked, now):
        return replace(tracked, state=State.INDEXFAILED, failure=DEAD, progress=None, phase=None, owner=None)
    return tracked


def judge(facts: CodebaseFacts) -> Verdict:
    """The first gate that holds, in the order that every surface keeps."""
    tracked, proof = facts.tracked, facts.proof
    if tracked is not None and _is_of_other_settings(tracked, facts.fingerprint):
        return Verdict(facts, NonOkReason.REQUIRES_REINDEX)
    if proof is not None and proof.outcome is ProofOutcome.FINGERPRINT_MISMATCH:
        return Verdict(facts, NonOkReason.REQUIRES_REINDEX)
    if tracked is not None and tracked.state is State.INDEXING:
        return Verdict(facts, NonOkReason.INDEXING)
    if tracked is None:
        # A registry that was lost forgets nothing that a store can prove.
        proven = proof is not None and proof.is_valid
        return Verdict(facts) if proven else Verdict(facts, NonOkReason.NOT_INDEXED)
    if proof is not None and proof.outcome is ProofOutcome.STALE_LOCAL:
        return Verdict(facts, NonOkReason.NOT_INDEXED, stale=tracked.is_searchable)
    if proof is not None and proof.is_valid:
        return Verdict(facts)
    # A probe that failed, or that nobody made, decides nothing: what is known here does.
    return Verdict(facts) if tracked.is_searchable else Verdict(facts, NonOkReason.NOT_INDEXED)


def _is_of_other_settings(tracked: Tracked, fingerprint: str) -> bool:
    """A run that failed before its first snapshot has left nothing that could be of other settings."""
    if tracked.state is State.INDEXFAILED and not tracked.snapshot_id:
        return False
    return tracked.state is State.REQUIRES_REINDEX or tracked.fingerprint != fingerprint


def may_claim_indexed(verdict: Verdict) -> bool:
    """Whether `create` has nothing to do: searchable by the registry, and proven by a marker."""
    proof, tracked = verdict.facts.proof, verdict.facts.tracked
    searchable = tracked is not None and tracked.is_searchable and tracked.failure is None
    return verdict.passes and searchable and proof is not None and proof.is_valid
