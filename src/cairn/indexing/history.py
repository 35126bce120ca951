"""The history of a snapshot: what its last commits say and touch, read once each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cairn.base import deadline, lazy
from cairn.base.errors import CairnError
from cairn.kernel.terms import count_terms
from cairn.store import history
from cairn.store.history import History, ReadCommit
from cairn.workspace.touched import TouchingCommit, last_commits, touching

if TYPE_CHECKING:
    import numpy as np

    from cairn.embed import Embedder
    from cairn.workspace.git import Git
else:
    np = lazy.module("numpy")


def history_at(git: Git, head: str, known: History | None, embedder: Embedder | None) -> tuple[History | None, str]:
    """The history before a commit and with it, None where there is none; and why it lacks what git didn't tell.

    Only what is not `known` is read. Messages are embedded only by an `embedder` that asks nobody and takes no time.
    """
    order: list[str] = []
    new: list[TouchingCommit] = []
    unread = ""
    try:
        order = last_commits(git, head)
        were = frozenset(known.oids.tolist()) if known is not None else frozenset()
        for each in touching(git, [oid for oid in order if history.number_of(oid) not in were]):
            new.append(each)  # noqa: PERF402 - what came before a failure counts
    except CairnError as error:
        deadline.check()
        # Evidence that no answer needs: an index never fails for it.
        unread = error.message
    found = history.joined(order, known, _read(new, embedder))
    return (found if len(found.oids) else None), unread


def _read(commits: Sequence[TouchingCommit], embedder: Embedder | None) -> list[ReadCommit]:
    messages = [each.message for each in commits]
    counted = count_terms(messages, [""] * len(messages))
    nothing = np.zeros((len(messages), 0), np.float32)
    vectors = embedder.embed(messages) if embedder is not None and messages else nothing
    return [
        ReadCommit(each.oid, terms.hashes, terms.text_counts, terms.length, each.paths, vector)
        for each, terms, vector in zip(commits, counted, vectors, strict=True)
    ]
