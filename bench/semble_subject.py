"""semble in a running process, under the Python it is installed for: `python bench/semble_subject.py ROOT`.

Does what its own server does: `from_path` loads what it has kept, makes anew what changed and the
index is saved again.
"""

import importlib
import sys
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.answering import answer  # noqa: E402


class Subject:
    def __init__(self, root: str) -> None:
        self._root = root
        self._cache: Any = importlib.import_module("semble.cache")
        self._kind: Any = importlib.import_module("semble").SembleIndex
        self._index: Any = None

    def sync(self) -> dict[str, int]:
        self._index = self._kind.from_path(self._root)
        self._cache.save_index_to_cache(self._index, self._root)
        stats = self._index.stats
        return {"files": stats.indexed_files, "chunks": stats.total_chunks}

    def query(self, text: str) -> int:
        return len(self._index.search(text, top_k=10))

    def show(self, text: str) -> str:
        """What its command prints as text, of more results than any budget holds."""
        found = self._index.search(text, top_k=50)
        pieces = [result.chunk for result in found]
        return "".join(
            f"{piece.file_path}:{piece.start_line}-{piece.end_line}\n\n{piece.content}\n\n" for piece in pieces
        )


if __name__ == "__main__":
    subject = Subject(sys.argv[1])
    answer({"sync": subject.sync, "query": subject.query, "show": subject.show})
