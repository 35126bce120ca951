"""Cairn in a running process: `python -m bench.cairn_subject ROOT`, asked by bench.running."""

import contextlib
import io
import sys
import time
from typing import Any

from bench.answering import answer
from cairn.api import Workspace
from cairn.codebase.codebase import Codebase, Request
from cairn.graph.calls import BOTH, Limits
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.gates import NonOkReason
from cairn.program import start
from cairn.store import Transaction

_LINES = 10_000


class Subject:
    """The actions on one tree."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._codebase = Codebase(root)
        self._workspace = Workspace(self._codebase)
        self._publish_s = 0.0
        # A work folder may hold an index of another version.
        self._anew = self._codebase.verdict().reason is NonOkReason.REQUIRES_REINDEX
        self._watch_publish()

    def sync(self) -> dict[str, Any]:
        self._publish_s = 0.0
        result = self._codebase.index(SyncOptions(reindex=self._anew))
        self._anew = False
        counts = result.manifest.counts
        return {
            "indexed": result.indexed,
            "files": counts.files_live,
            "chunks": counts.chunks_live,
            "publish": self._publish_s,
        }

    def query(self, text: str) -> int:
        return len(self._codebase.search(Request(text, 10)).items)

    def show(self, text: str, budget: int) -> str:
        """What the command prints for a question with a budget of tokens."""
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()):
            start.main(["search", text, self._root, "--budget", str(budget), "--no-sync", "--offline"])
        return printed.getvalue()

    def literal(self, text: str) -> int | None:
        """How many places hold a text; None where there is no literal search."""
        grep = getattr(self._workspace, "grep", None)
        return None if grep is None else len(grep(text, limit=_LINES))

    def symbol(self, name: str) -> int:
        return len(self._codebase.insight.symbol(name).value.definitions)

    def calls(self, name: str, depth: int) -> int:
        """How many definitions stand in the call graph around those of a name."""
        return len(self._codebase.insight.calls(name, BOTH, Limits(depth=depth)).value.nodes)

    def map(self) -> int:
        return len(self._codebase.insight.map().value.entries)

    def _watch_publish(self) -> None:
        """Note how long publishing proper takes within a sync."""
        publish = Transaction.publish

        def timed(*arguments: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return publish(*arguments, **named)
            finally:
                self._publish_s += time.perf_counter() - started

        Transaction.publish = timed  # type: ignore[method-assign]


def main() -> None:
    subject = Subject(sys.argv[1])
    answer(
        {
            "sync": subject.sync,
            "query": subject.query,
            "show": subject.show,
            "literal": subject.literal,
            "symbol": subject.symbol,
            "calls": subject.calls,
            "map": subject.map,
        }
    )


if __name__ == "__main__":
    main()
