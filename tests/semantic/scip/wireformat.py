"""Writing protobuf's wire format, for indexes that no tool would make."""


def varint(value: int) -> bytes:
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def packed(numbers: list[int]) -> bytes:
    return b"".join(map(varint, numbers))


def occurrence(place: list[int], symbol: str, roles: int = 0, more: bytes = b"") -> bytes:
    return field(1, packed(place)) + field(2, symbol) + (field(3, roles) if roles else b"") + more


def document(path: str, *occurrences: bytes, more: bytes = b"") -> bytes:
    inner = field(4, "python") + field(1, path) + b"".join(field(2, each) for each in occurrences)
    return field(2, inner + more)


def metadata(tool: str = "scip-test", version: str = "1", root: str = "file:///project") -> bytes:
    return field(1, field(2, field(1, tool) + field(2, version)) + field(3, root) + field(4, 1))
