"""The local slice: definitions, uses and flow of one name inside one function."""

from cairn.base.values import dataclass
from cairn.syntax.flow import Written, reaching
from cairn.syntax.occurrences import FileOccurrences, Occurrence
from cairn.syntax.scopes import FUNCTION, Scope

MAX_TEXT = 200
_INLINE = ("comprehension", "generator_expression", "_type", "_signature")
"""Functions of the scope rules that no one would call a function."""


@dataclass(frozen=True, slots=True)
class Step:
    """A place where a name is defined, written or used."""

    line: int
    column: int
    kind: str
    """parameter, definition, write, read, call, or capture: used by an inner function."""
    text: str
    from_: tuple[int, ...]
    """The lines of the writes that may reach it."""


@dataclass(frozen=True, slots=True)
class Slice:
    """All steps of a name inside a function."""

    function: str
    start_line: int
    end_line: int
    parameters: bool
    """Whether the name is a parameter."""
    steps: tuple[Step, ...]


def local_slice(found: FileOccurrences, data: bytes, line: int) -> Slice | None:
    """The slice in the innermost function around a line that holds a name, or in the one that binds it there, by the
    name's occurrences in a file."""
    bare = [one for one in found.occurrences if one.bare]
    function = _function(found, bare, data, line)
    if function is None:
        return None
    inside = [one for one in bare if _belongs(found, one, function)]
    writes = _writes(found, inside)
    first = {key: min(each.start for each in held) for key, held in writes.items()}
    lines = data.split(b"\n")
    steps = tuple(_step(found, one, function, writes, first, lines) for one in inside)
    owner = next((one for one in inside if _function_of(one.scope) is function), inside[0])
    return Slice(
        function=found.withins[found.occurrences.index(owner)],
        start_line=data.count(b"\n", 0, function.start) + 1,
        end_line=data.count(b"\n", 0, function.end) + 1,
        parameters=any(step.kind == "parameter" for step in steps),
        steps=steps,
    )


def _function_of(scope: Scope | None) -> Scope | None:
    while scope is not None and (scope.kind != FUNCTION or scope.type.endswith(_INLINE)):
        scope = scope.parent
    return scope


def _around(scope: Scope | None) -> list[Scope]:
    """The functions around a place, the innermost first."""
    found = []
    function = _function_of(scope)
    while function is not None:
        found.append(function)
        function = _function_of(function.parent)
    return found


def _function(found: FileOccurrences, bare: list[Occurrence], data: bytes, line: int) -> Scope | None:
    starts_before, ends_after = _line_end(data, line), _line_start(data, line)
    holding: dict[Scope, bool] = {}
    for one in bare:
        meaning = found.meaning(one)
        bound = _function_of(meaning[0]) if meaning is not None else None
        for function in _around(one.scope):
            if function.start <= starts_before and function.end > ends_after:
                holding[function] = holding.get(function, False) or function is bound
    binding = [function for function, binds in holding.items() if binds]
    return max(binding or holding, key=lambda function: (function.start, -function.end), default=None)


def _line_start(data: bytes, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        after = data.find(b"\n", at)
        if after < 0:
            return len(data)
        at = after + 1
    return at


def _line_end(data: bytes, line: int) -> int:
    end = data.find(b"\n", _line_start(data, line))
    return len(data) if end < 0 else end


def _belongs(found: FileOccurrences, one: Occurrence, function: Scope) -> bool:
    """Whether an occurrence is in the function and isn't another variable of a function inside."""
    around = _around(one.scope)
    if function not in around:
        return False
    meaning = found.meaning(one)
    bound = _function_of(meaning[0]) if meaning is not None else None
    return bound is None or bound not in around[: around.index(function)]


def _key(found: FileOccurrences, one: Occurrence) -> int:
    meaning = found.meaning(one)
    return id(meaning[0]) if meaning is not None else 0


def _writes(found: FileOccurrences, inside: list[Occurrence]) -> dict[int, list[Written]]:
    writes: dict[int, list[Written]] = {}
    for one in inside:
        if one.role in ("definition", "write", "import"):
            written = Written(one.start, one.effective, one.arms, one.line)
            writes.setdefault(_key(found, one), []).append(written)
    return writes


def _step(
    found: FileOccurrences,
    one: Occurrence,
    function: Scope,
    writes: dict[int, list[Written]],
    first: dict[int, int],
    lines: list[bytes],
) -> Step:
    key = _key(found, one)
    known = writes.get(key, [])
    captured = _function_of(one.scope) is not function
    kind = _kind(one, captured, first.get(key) == one.start)
    reached: tuple[int, ...] = ()
    if captured:
        reached = tuple(sorted({each.line for each in known}))
    elif kind in ("read", "call") or one.updates:
        reached = reaching(one.start, one.arms, [each for each in known if each.start != one.start or one.updates])
    text = lines[one.line - 1].decode("utf-8", "replace").strip()[:MAX_TEXT]
    return Step(one.line, one.column, kind, text, reached)


def _kind(one: Occurrence, captured: bool, is_first: bool) -> str:
    if one.role in ("definition", "import"):
        return "parameter" if one.parameter else "definition"
    if one.role == "write":
        return "definition" if is_first else "write"
    if captured:
        return "capture"
    return "call" if one.role == "call" else "read"
