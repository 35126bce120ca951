"""A block of text between two markers in a file that belongs to somebody else."""

from cairn.surfaces.agents.edits import EditError

BEGIN = "<!-- cairn:begin -->"
END = "<!-- cairn:end -->"


def block_in(text: str) -> tuple[int, int] | None:
    """Where the block stands, markers included."""
    begins, ends = text.count(BEGIN), text.count(END)
    if not begins and not ends:
        return None
    start, end = text.find(BEGIN), text.find(END)
    if begins != 1 or ends != 1 or end < start:
        raise EditError(f"its markers {BEGIN} and {END} don't stand there once each, in this order")
    return start, end + len(END)


def put(text: str, body: str, newline: str = "\n", preamble: str = "") -> str:
    """The text with the block in it: in its old place, else at the end; `preamble` begins a new file."""
    block = newline.join([BEGIN, *body.splitlines(), END])
    place = block_in(text)
    if place is not None:
        return text[: place[0]] + block + text[place[1] :]
    if not text:
        return newline.join(preamble.splitlines()) + (newline * 2 if preamble else "") + block + newline
    gap = "" if text.endswith(newline * 2) else newline if text.endswith("\n") else newline * 2
    return text + gap + block + newline


def take(text: str, newline: str = "\n") -> str:
    """The text without the block and the blank line before it."""
    place = block_in(text)
    if place is None:
        return text
    before, after = text[: place[0]], text[place[1] :]
    after = after.removeprefix(newline)
    if before.endswith(newline * 2) and (not after or after.startswith(newline)):
        before = before[: -len(newline)]
    return before + after
