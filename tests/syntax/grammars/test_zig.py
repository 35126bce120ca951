"""Zig: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/list.zig"
SAMPLE = r"""//! A growing list.
const std = @import("std");
const mem = std.mem;

pub const max_items: usize = 64;
var count: u32 = 0;

/// What can go wrong.
pub const ListError = error{ OutOfMemory, Full };

/// A list of items.
pub const List = struct {
    items: []u8,
    len: usize = 0,

    const Self = @This();

    /// Makes an empty list.
    pub fn init(allocator: mem.Allocator) !Self {
        const items = try allocator.alloc(u8, max_items);
        return Self{ .items = items };
    }

    fn grow(self: *Self) void {
        self.len += 1;
        helper(self.len);
    }
};

pub const Color = enum { red, green };

const Value = union(enum) {
    number: f64,
    text: []const u8,
};

pub fn Pair(comptime T: type) type {
    return struct {
        first: T,
        pub fn swap(self: *@This()) void {
            mem.swap(T, &self.first, &self.first);
        }
    };
}

export fn helper(n: usize) void {
    std.debug.print("{d}\n", .{n});
}

extern fn getpid() i32;

test "grows" {
    try std.testing.expect(true);
}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "constant max_items 5-5 +",
        "variable count 6-6",
        "enum ListError 9-9 +",
        "constant ListError.OutOfMemory 9-9 +",
        "constant ListError.Full 9-9 +",
        "struct List 12-28 +",
        "field List.items 13-13 +",
        "field List.len 14-14 +",
        "method List.init 19-22 +",
        "method List.grow 24-27",
        "enum Color 30-30 +",
        "constant Color.red 30-30 +",
        "constant Color.green 30-30 +",
        "struct Value 32-35",
        "field Value.number 33-33",
        "field Value.text 34-34",
        "function Pair 37-44 +",
        "field Pair.first 39-39",
        "function Pair.swap 40-42",
        "function helper 46-48 +",
        "function getpid 50-50",
        "function grows 52-54",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["List"] == "pub const List = struct"
    assert found["List.init"] == "pub fn init(allocator: mem.Allocator) !Self"
    assert found["Pair"] == "pub fn Pair(comptime T: type) type"
    assert found["max_items"] == "pub const max_items: usize = 64;"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "ListError": "What can go wrong.",
        "ListError.OutOfMemory": "What can go wrong.",
        "ListError.Full": "What can go wrong.",
        "List": "A list of items.",
        "List.init": "Makes an empty list.",
    }
    assert read(PATH, SAMPLE).top_comment == "A growing list."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("std", 2)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("alloc", 20, "List.init"),
        ("helper", 26, "List.grow"),
        ("swap", 41, "Pair.swap"),
        ("print", 47, "helper"),
        ("expect", 53, "grows"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 9), (11, 28), (30, 50), (52, 54)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
