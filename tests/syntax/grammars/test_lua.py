"""Lua: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "lib/pool.lua"
SAMPLE = """-- A pool of connections.
local socket = require("socket")
local log = require "app.log"

local M = {}
M.VERSION = "1.0"
local LIMIT = 10
DEBUG = false

--- Opens a connection.
-- @param host where to
function M.open(host, port)
  local conn = socket.tcp()
  conn:connect(host, port)
  return conn
end

local function retry(times)
  for i = 1, times do log.info("again", i) end
end

function Pool:take()
  retry(3)
  return self.free[1]
end

M.close = function(conn)
  conn:close()
end

local helper = function() return 1 end

Pool.handlers = {
  start = function(self) self:take() end,
  limit = 3,
}

function global_reset()
  M.count = 0
end

return M
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "variable M 5-5 +",
        "variable M.VERSION 6-6 +",
        "variable LIMIT 7-7",
        "variable DEBUG 8-8 +",
        "function M.open 12-16 +",
        "function retry 18-20",
        "method Pool.take 22-25 +",
        "function M.close 27-29 +",
        "function helper 31-31",
        "variable Pool.handlers 33-36 +",
        "function Pool.handlers.start 34-34 +",
        "function global_reset 38-40 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["M.open"] == "function M.open(host, port)"
    assert found["Pool.take"] == "function Pool:take()"
    assert found["M.close"] == "M.close = function(conn)"
    assert found["retry"] == "local function retry(times)"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"M.open": "Opens a connection. @param host where to"}
    assert read(PATH, SAMPLE).top_comment == "A pool of connections."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("socket", 2), ("app.log", 3)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("tcp", 13, "M.open"),
        ("connect", 14, "M.open"),
        ("info", 19, "retry"),
        ("retry", 23, "Pool.take"),
        ("close", 28, "M.close"),
        ("take", 34, "Pool.handlers.start"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 250) == [(1, 8), (10, 20), (22, 36), (38, 42)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
