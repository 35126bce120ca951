"""A file around a line, in colours where the library for them is there."""

from functools import lru_cache

from cairn.base.text import printable

Fragments = list[tuple[str, str]]
"""A style and a text, one after the other."""
_MOST_BYTES = 512 * 1024


def preview(path: str, line: int, height: int) -> Fragments:
    """The lines around one, as many as the screen has room for; the one that is meant stands out."""
    lines = _coloured(path)
    first = max(0, min(line - 1 - height // 3, len(lines) - height))
    found: Fragments = []
    for number, parts in enumerate(lines[first : first + height], first + 1):
        style = "class:meant " if number == line else ""
        found.append((f"{style}class:number", f"{number:>5}  "))
        found += [(style + kind, text) for kind, text in parts]
        found.append(("", "\n"))
    return found


@lru_cache(maxsize=16)
def _coloured(path: str) -> list[Fragments]:
    try:
        with open(path, "rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        return [[("class:number", f"can't be read: {error.strerror}")]]
    lines: list[Fragments] = [[]]
    for kind, part in _tokens(path, text):
        first, *rest = part.split("\n")
        lines[-1].append((kind, _safe(first)))
        lines += [[(kind, _safe(each))] for each in rest]
    return lines


def _safe(text: str) -> str:
    return printable(text.expandtabs(4))


def _tokens(path: str, text: str) -> Fragments:
    try:
        from pygments.lexers import get_lexer_for_filename
        from pygments.util import ClassNotFound
    except ImportError:
        return [("", text)]
    try:
        lexer = get_lexer_for_filename(path, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return [("", text)]
    return [
        (f"class:pygments.{str(kind).removeprefix('Token.').lower()}", part) for kind, part in lexer.get_tokens(text)
    ]
