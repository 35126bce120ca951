"""Renames by others, of the same definitions: rope, and any language server."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from bench.languageserver import LanguageServer
from bench.languageserver import Place as ServerPlace
from bench.renamejudge import Edit, settled
from bench.renamesymbols import Place, fresh
from cairn.base.errors import CairnError

TIME_LIMIT_S = 60.0
_QUIET_S = 2.0


class Rope:
    """rope in a Python of its own."""

    def __init__(self, python: Path, root: Path) -> None:
        script = Path(__file__).with_name("rope_subject.py")
        self._root = root
        self._process = subprocess.Popen(
            (str(python), str(script), str(root)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def rename(self, place: Place) -> list[Edit] | str:
        """The edits, or why there are none."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        lines = (self._root / place.path).read_bytes().split(b"\n")
        start = sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column
        asked = {"path": place.path, "start": start, "new": fresh(place.name)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "it has ended"}')
        return answer["error"] if "error" in answer else settled(answer["edits"])

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


class Server:
    """A language server."""

    def __init__(self, command: Sequence[str], root: Path, language: str) -> None:
        self._server = LanguageServer(command, root, {})
        self._language = language
        self._settled = False

    def rename(self, place: Place) -> list[Edit] | str:
        """The edits, or why there are none."""
        language = "typescriptreact" if place.path.endswith(".tsx") else self._language
        if not self._settled:
            self._settled = True
            self._server.settle(language, place.path, _QUIET_S)
        try:
            at = ServerPlace(place.path, place.line, place.column)
            return settled(self._server.rename(language, at, fresh(place.name)))
        except CairnError as error:
            return str(error)

    def close(self) -> None:
        """End it."""
        self._server.close()


@contextmanager
def peer(command: str, root: Path, language: str) -> Iterator[Rope | Server]:
    """rope where the command is a Python, and a language server else."""
    words = command.split()
    made = Rope(Path(words[0]), root) if len(words) == 1 and "python" in words[0] else Server(words, root, language)
    with closing(made):
        yield made
