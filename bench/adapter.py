"""Index a folder from nothing and answer queries: `python -m bench.adapter FOLDER QUERIES.json OUT.json`.

Speaks the protocol of retrieval benchmarks: OUT gets the time to index, the time of each query and
ten results for each.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    folder, queries, out = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as home:
        os.environ["CAIRN_HOME"] = home
        from cairn.codebase.codebase import Codebase, Request
        from cairn.indexing.options import SyncOptions

        start = time.perf_counter()
        with Codebase(folder) as codebase:
            codebase.index(SyncOptions())
            index_ms = (time.perf_counter() - start) * 1000
            query_ms, results = [], []
            for query in json.loads(Path(queries).read_text(encoding="utf-8")):
                start = time.perf_counter()
                answer = codebase.search(Request(query, 10))
                query_ms.append((time.perf_counter() - start) * 1000)
                results.append(
                    [
                        {"path": item.row.path_key, "start_line": item.row.start_line, "end_line": item.row.end_line}
                        for item in answer.items
                    ]
                )
    document = {"index_ms": index_ms, "query_ms": query_ms, "results": results}
    Path(out).write_text(json.dumps(document), encoding="utf-8")


if __name__ == "__main__":
    main()
