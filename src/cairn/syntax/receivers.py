"""What a call is asked of: the words before its name."""

import re
import string
from functools import lru_cache

MAX_RECEIVER = 120
_WORD = (string.ascii_letters + string.digits + "_$@").encode() + bytes(range(128, 256))
_SUPER = b"super()"
_PATH = b"\\"
GLOBAL = "\\"
"""The receiver of a name of PHP that is asked of no namespace at all."""
_SPACE = frozenset({b" ", b"\t", b"\n", b"\r"})
_NO_CHAIN = _SPACE | {b".", b""}
_NAME = r"[@$]*[^\W\d][\w$]*"
_JOINT = re.compile(r"[?!]?\.|->|::|\\")
_CHAIN = re.compile(rf"(?:super\(\)|{_NAME})(?:(?:{_JOINT.pattern}){_NAME})*")


def receiver_of(data: bytes, at: int) -> str:
    """The receiver of the name at a byte: "" where there is none, "?" where it is no plain chain of names.

    From the end backwards, and without an expression: it is asked for every call of a tree.
    """
    if data[at - 1 : at] == _PATH:
        return _path_before(data, at)
    end = _before_joint(data, at)
    if end == at:
        return ""
    least = max(0, at - MAX_RECEIVER)
    words: list[bytes] = []
    while True:
        start = least + len(data[least:end].rstrip(_WORD))
        if start == end:
            if words or not data.endswith(_SUPER, least, end):
                return "?"
            return _SUPER.decode()
        # What the bound cuts off must not look like the start of a chain.
        if start == least > 0 or data[start : start + 1].isdigit():
            return "?"
        words.append(data[start:end])
        end = _before_joint(data, start)
        if end == start:
            return b".".join(reversed(words)).decode("utf-8", "replace")


def _path_before(data: bytes, at: int) -> str:
    """PHP's path before a name: dotted, and without what says that it is a full one."""
    least = max(0, at - MAX_RECEIVER)
    start = least + len(data[least:at].rstrip(_WORD + _PATH))
    return data[start:at].strip(_PATH).replace(_PATH, b".").decode("utf-8", "replace") or GLOBAL


def _before_joint(data: bytes, at: int) -> int:
    """Where a dot, an arrow or a double colon before a place begins; the place itself where there is none."""
    sign = data[at - 1 : at] if at else b""
    if sign in _SPACE:
        # A chain may go on in the next line; PHP's dots between texts have white space before them.
        least = max(0, at - MAX_RECEIVER)
        end = least + len(data[least:at].rstrip())
        chained = data[end - 1 : end] == b"." and data[end - 2 : end - 1] not in _NO_CHAIN
        return _before_joint(data, end) if chained else at
    if sign == b".":
        before = data[at - 2 : at - 1]
        if before == b".":
            return at  # what is spread, or the end of a range
        return at - 2 if before in (b"?", b"!") else at - 1
    if sign in (b">", b":") and data[max(at - 2, 0) : at] in (b"->", b"::"):
        return at - 2
    return at


@lru_cache(maxsize=20_000)
def plain_receiver(written: str) -> str:
    """A receiver as written, as the dotted chain that it is; "" for none, "?" where it is no plain chain of names."""
    if not written or written == GLOBAL:
        return written
    written = written.removeprefix(GLOBAL)
    return _JOINT.sub(".", written) if _CHAIN.fullmatch(written) else "?"
