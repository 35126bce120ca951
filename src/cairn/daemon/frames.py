"""JSON by the interpreter's own accelerator alone.

The package `json` loads regular expressions and all that they need: three quarters of what a client would load.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Reading:
    """What the accelerator asks a decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def written(value: object) -> bytes:
    """A value as JSON in ASCII; ValueError or TypeError for one that is none."""
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:
        import json

        return json.dumps(value).encode()
    encode = make_encoder(None, _refused, encode_basestring_ascii, None, ": ", ", ", False, False, False)
    return "".join(encode(value, 0)).encode()


def read(text: bytes) -> "Any":
    """The value of a JSON text; ValueError for anything else."""
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)
    said = text.decode("utf-8").strip(" \t\r\n")
    try:
        value, end = make_scanner(_Reading)(said, 0)  # type: ignore[arg-type]
    except StopIteration as error:
        raise ValueError(f"no JSON: {said[:80]!r}") from error
    if end != len(said):
        raise ValueError(f"more than one value: {said[:80]!r}")
    return value


def _refused(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no value of JSON")
