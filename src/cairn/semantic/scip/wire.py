"""Protobuf's wire format, as far as it can occur in an index: fields of one message, and of a file of any size.

The bytes come from a program that may be broken or have been killed: every length is checked before anything is
allocated, and every fault is a ScipError.
"""

import os
from collections.abc import Iterator
from typing import BinaryIO

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""The largest document that is read; a file of source code gives less than a hundredth of it."""
_MAX_VARINT_BYTES = 10
_MAX_FIELD = (1 << 29) - 1
_WORD = (1 << 64) - 1


class ScipError(ValueError):
    """The bytes are no index; a job that meets it fails with `parse_error`."""

    code = "parse_error"


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at a place, and the place behind it."""
    value = shift = 0
    for byte in data[at : at + _MAX_VARINT_BYTES]:
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _WORD, at
        shift += 7
    raise ScipError("a number doesn't end")


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value) of a message: numbers as they are, everything else as bytes."""
    # The hot loop of all reading: nearly every key, length and number fits one byte, and is read without a call.
    at, end = 0, len(data)
    while at < end:
        key = data[at]
        at += 1
        if key >= 0x80:
            key, at = varint(data, at - 1)
        field = key >> 3
        if not 0 < field <= _MAX_FIELD:
            raise ScipError(f"there is no field {field}")
        wire = key & 7
        if wire == BYTES:
            if at < end and data[at] < 0x80:
                size = data[at]
                at += 1
            else:
                size, at = varint(data, at)
        elif wire == VARINT:
            if at < end and data[at] < 0x80:
                yield field, data[at]
                at += 1
            else:
                value, at = varint(data, at)
                yield field, value
            continue
        else:
            size = fixed_size(wire)
        if size > end - at:
            raise ScipError("it ends within a field")
        yield field, data[at : at + size]
        at += size


def file_fields(file: BinaryIO) -> Iterator[tuple[int, int | bytes]]:
    """The same for a file, of which one field at a time is in memory."""
    left = os.fstat(file.fileno()).st_size - file.tell()
    while left > 0:
        key, used = _file_varint(file)
        left -= used
        wire = key & 7
        if wire == VARINT:
            value, used = _file_varint(file)
            left -= used
            yield number_of(key), value
            continue
        if wire == BYTES:
            size, used = _file_varint(file)
            left -= used
        else:
            size = fixed_size(wire)
        if size > left:
            raise ScipError("it ends within a field")
        if size > MAX_MESSAGE_BYTES:
            raise ScipError(f"a field has {size} bytes; at most {MAX_MESSAGE_BYTES} are read")
        data = file.read(size)
        if len(data) != size:
            raise ScipError("it became shorter while it was read")
        left -= size
        yield number_of(key), data


def number_of(key: int) -> int:
    """The field number in a key; ScipError if there can be none."""
    number = key >> 3
    if not 0 < number <= _MAX_FIELD:
        raise ScipError(f"there is no field {number}")
    return number


def fixed_size(wire: int) -> int:
    """The size of a fixed field; ScipError for an unknown wire type."""
    if wire == FIXED64:
        return 8
    if wire == FIXED32:
        return 4
    raise ScipError(f"there is no wire type {wire}")


def packed(data: bytes) -> list[int]:
    """The numbers of a packed field."""
    # Lines and columns are mostly small, and a byte below 128 is its own value.
    if data.isascii():
        return list(data)
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def text(value: int | bytes) -> str:
    """A value that must be text."""
    if isinstance(value, int):
        raise ScipError("a number stands where a text should be")
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise ScipError("a text isn't valid UTF-8") from error


def message(value: int | bytes) -> bytes:
    """A value that must be a message."""
    if isinstance(value, int):
        raise ScipError("a number stands where a message should be")
    return value


def number(value: int | bytes) -> int:
    """A value that must be a number."""
    if isinstance(value, bytes):
        raise ScipError("bytes stand where a number should be")
    return value


def _file_varint(file: BinaryIO) -> tuple[int, int]:
    value = shift = 0
    for used in range(1, _MAX_VARINT_BYTES + 1):
        byte = file.read(1)
        if not byte:
            break
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value & _WORD, used
        shift += 7
    raise ScipError("a number doesn't end")
