"""Stands in for `python3` while an indexer asks it where modules lie: run isolated, by the interpreter that is meant.

Python that starts in a tree, or with a folder of the tree on its path, would run what lies there under the names of its
own modules. Isolated it doesn't. What the project keeps in `src` is put before all else in the answer, not in the
path that this process imports by. It imports nothing of Cairn: any Python 3 may run it.

    interpreter.py <folder to add, or nothing> [-c] <what the tool asks> [<argument> ...]
"""

import contextlib
import io
import json
import os
import sys


def main() -> None:
    added, arguments = sys.argv[1], sys.argv[2:]
    if "-c" not in arguments:
        os.execv(sys.executable, [sys.executable, "-I", *arguments])  # noqa: S606 - by argument list
    at = arguments.index("-c")
    sys.argv = ["-c", *arguments[at + 2 :]]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        # The tool's own question, not the repository's.
        exec(compile(arguments[at + 1], "<indexer>", "exec"), {"__name__": "__main__"})  # noqa: S102
    sys.stdout.write(_with_path(said.getvalue(), added))


def _with_path(answer: str, added: str) -> str:
    """An answer that tells where modules lie, with one more folder; any other as it is."""
    try:
        told = json.loads(answer)
        told["path"].insert(0, added)
    except (ValueError, KeyError, TypeError, AttributeError):
        return answer
    return json.dumps(told) if added else answer


if __name__ == "__main__":
    main()
