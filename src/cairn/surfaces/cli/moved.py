"""Where a line is now: files go on changing after a list of places was shown."""

_MOST_BYTES = 16 << 20


def line_now(path: str, line: int, text: str) -> int | None:
    """The line nearest to the former one that holds a text; None where none does, and the same where nothing is known.

    OSError where there is no such file.
    """
    with open(path, "rb") as file:
        lines = file.read(_MOST_BYTES).decode("utf-8", "replace").split("\n")
    if not text:
        return line
    having = [number for number, each in enumerate(lines, 1) if text in each]
    return min(having, key=lambda number: (abs(number - line), number), default=None)
