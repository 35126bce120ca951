"""What the first word of a name is tied to at its place: files are parsed only where a text looks as if it bound it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from cairn.graph.bound import binds
from cairn.graph.customs import SCRIPTS, family, parents, selves
from cairn.graph.scopes import FUNCTIONS, Scope
from cairn.graph.world import World
from cairn.store import SymbolRow
from cairn.syntax.ties import DEFINITION, FREE, PARAMETER, VARIABLE, Tie, this_of, ties_of
from cairn.values import dataclass, replace

_OTHER_THIS = {
    "java": re.compile(r"\bnew\s+[\w.]+\s*(?:<[^;{}]*>)?\s*\([^;{}]*\)\s*\{"),
    "javascript": re.compile(
        r"\b(?:function|static|class)\b|(?<![\w$])(?!(?:if|for|while|switch|catch|with)\b)[\w$\]]+\s*\([^()]*\)\s*\{"
    ),
}
_STATIC = re.compile(r"@\s*(?:\w+\.)*staticmethod\b")


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of the place of a name: the line, and the tie of the first word that leads to it."""

    line: int = 0
    """0 where it makes no difference: all definitions around the place have names of their own."""
    kind: str = ""
    """As a tie's; empty where nothing binds the word, so that the heads around the place tell."""
    function: str = ""
    again: bool = False


ANYWHERE = Held()
"""Nothing is known of the place."""


class Places:
    """The places of one world; what was parsed is kept."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._ties: dict[tuple[str, str], tuple[Tie, ...] | None] = {}

    def held(self, scope: Scope, word: str, within: str, line: int, column: int | None) -> Held:
        """What holds for a word that stands in a line, at or before a column where that is known."""
        around = [symbol for symbol in scope.around(within, line) if symbol.kind in FUNCTIONS]
        lines = self._world.lines(scope.path)
        plain = Held(line) if scope.repeats(within) else ANYWHERE
        first, last = (around[-1].start_line, around[-1].end_line) if around else (1, len(lines))
        text = "\n".join(lines[first - 1 : last])
        if word == "this" and scope.language != "python":
            pattern = _OTHER_THIS.get("javascript" if scope.language in SCRIPTS else scope.language)
            body = text[len(around[-1].signature) :] if around and "static" not in around[-1].signature else text
            if pattern is None or not pattern.search(body):
                return plain
        elif scope.language != "python" and word in selves(scope.language) | parents(scope.language):
            return plain
        elif word in selves("python"):
            if _is_static(lines, around):
                return replace(plain, kind=VARIABLE)
            if not _rebinds_self(word).search(text):
                return plain
        elif not _may_bind(word, family(scope.language) == "c" or scope.language == "php").search(text):
            return plain
        return self._told(scope, word, line, column, text, plain)

    def in_anonymous(self, scope: Scope, within: str, line: int) -> bool:
        """Whether a class without a name may be around a place, whose members come before those around it."""
        pattern = _OTHER_THIS["java"] if scope.language == "java" else None
        around = [symbol for symbol in scope.around(within, line) if symbol.kind in FUNCTIONS]
        if pattern is None or not around:
            return False
        text = "\n".join(self._world.lines(scope.path)[around[-1].start_line - 1 : around[-1].end_line])
        return pattern.search(text) is not None

    def _told(self, scope: Scope, word: str, line: int, column: int | None, text: str, plain: Held) -> Held:
        key = (scope.path, word)
        if key not in self._ties:
            data = self._world.view.whole_text_of(scope.path) or b""
            self._ties[key] = (
                this_of(scope.path, scope.language, data)
                if word == "this"
                else ties_of(scope.path, scope.language, data, word.lstrip("$"))
            )
        ties = self._ties[key]
        if ties is None:
            return replace(plain, kind=VARIABLE) if binds(text, word) else plain
        near = [tie for tie in ties if tie.line == line] if column is None else []
        # The first word of a chain may stand in a line above.
        near = near or _before(ties, line, column or 0)
        if not near:
            return plain
        kinds = {(tie.kind, tie.function) for tie in near}
        if len(kinds) > 1:
            return replace(plain, kind=VARIABLE)  # one of several in the line, and nobody knows which
        return Held(plain.line, near[0].kind, near[0].function, any(tie.again for tie in near))


def _before(ties: Sequence[Tie], line: int, column: int) -> list[Tie]:
    """The last at or before a place: nothing but connectors stands between the first word of a chain and its last."""
    return [tie for tie in ties if (tie.line, tie.column) <= (line, column)][-1:]


def _is_static(lines: Sequence[str], around: Sequence[SymbolRow]) -> bool:
    """Whether the method around a place is called without a value."""
    head = next((lines[each.start_line - 1 : each.name_line] for each in around if each.kind == "method"), ())
    return any(map(_STATIC.search, head))


@lru_cache(maxsize=5_000)
def _may_bind(word: str, arrows: bool) -> re.Pattern[str]:
    """Where a word is bound, something else follows it than what only uses have, or a type stands before it."""
    name = re.escape(word)
    uses = r"\??\.|!\.|\(|::|\[" + ("|->" if arrows else "")
    return re.compile(rf"(?<![\w$.]){name}(?![\w$])(?!\s*(?:{uses}))|[\w>*&\]][ \t]+[*&]*{name}\s*[(\[{{]")


@lru_cache(maxsize=16)
def _rebinds_self(word: str) -> re.Pattern[str]:
    own = rf"(?<![\w.]){word}\b"
    return re.compile(
        rf"{own}\s*(?::?=(?!=)|,[^()\n]*=(?!=)|[-+*/|&]=)|,\s*{own}\s*=(?!=)"
        rf"|\b(?:as|for|lambda|del|case)\b[^:\n]*{own}"
    )


__all__ = ["ANYWHERE", "DEFINITION", "FREE", "PARAMETER", "VARIABLE", "Held", "Places"]
