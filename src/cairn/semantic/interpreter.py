"""Stands in for `python3` while an indexer asks it where modules are; the real interpreter runs it in isolated mode.

If Python starts in a tree, or with a folder of the tree on its path, it imports files of the tree in place of its own
modules. In isolated mode it doesn't. The project's `src` is added to the answer, but not to the path that this process
imports from. It imports nothing of Cairn, so that any Python 3 can run it.

    interpreter.py <folder to add, or nothing> [-c] <what the tool asks> [<argument> ...]
"""

import contextlib
import io
import json
import os
import sys


def main() -> None:
    """Run the indexer's question, and print the answer with the added folder in it."""
    added, arguments = sys.argv[1], sys.argv[2:]
    if "-c" not in arguments:
        os.execv(sys.executable, [sys.executable, "-I", *arguments])  # noqa: S606 - by argument list
    at = arguments.index("-c")
    sys.argv = ["-c", *arguments[at + 2 :]]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        # This code comes from the tool, not from the repository.
        exec(compile(arguments[at + 1], "<indexer>", "exec"), {"__name__": "__main__"})  # noqa: S102
    os.write(1, _with_path(said.getvalue(), added).encode())


def _with_path(answer: str, added: str) -> str:
    """Add a folder to an answer that lists where modules are; leave any other answer alone."""
    try:
        noted = json.loads(answer)
        noted["path"].insert(0, added)
    except (ValueError, KeyError, TypeError, AttributeError):
        return answer
    return json.dumps(noted) if added else answer


if __name__ == "__main__":
    main()
