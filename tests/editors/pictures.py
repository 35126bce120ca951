"""The picture of docs/editors.md, drawn from the screen of a real Neovim: `python -m tests.editors.pictures`."""

import html
import json
import os
import sys
import tempfile
from itertools import groupby
from pathlib import Path

from tests.conformance import ROOT
from tests.editors.neovim import Neovim, neovim
from tests.trees import cairn

PICTURE = ROOT / "docs" / "images" / "neovim-finder.svg"
QUERY = "who takes over a stale lease"
_WIDTH, _HEIGHT = 8.4, 17
"""Of a cell."""
_PAPER, _MARKED, _INK = "#22262e", "#363d4a", "#d8dee9"
_INKS = {
    "Border": "#5b6577",
    "Comment": "#7b88a1",
    "String": "#a3be8c",
    "Statement": "#81a1c1",
    "PreProc": "#b48ead",
    "Function": "#88c0d0",
    "Identifier": "#88c0d0",
    "Constant": "#d08770",
    "Number": "#d08770",
    "Type": "#8fbcbb",
}
_CELLS = """vim.cmd('redraw!')
local picker, grid, screen = require('cairn.picker').current, 2, {}
for row = 1, vim.o.lines do
  screen[row] = {}
  for column = 1, vim.o.columns do screen[row][column] = { ' ', '', false } end
end
local looks = {
  preview = function(row, column)
    local line = vim.fn.line('w0') + row
    return vim.fn.synIDattr(vim.fn.synIDtrans(vim.fn.synID(line, column + 1, 1)), 'name'), line == vim.fn.line('.')
  end,
  list = function(row, column)
    local name = (vim.fn.getline(row + 1):find('  ', 1, true) or 0)
    return column >= name and 'Comment' or 'Function', row + 1 == picker.at
  end,
  prompt = function(_, column) return column >= #picker:query() and 'Comment' or '', false end,
}
for _, part in ipairs({ 'preview', 'list', 'prompt' }) do
  while grid < 100 and not pcall(vim.api.nvim__inspect_cell, grid, 0, 0) do grid = grid + 1 end
  local window = picker[part].window
  local place = vim.api.nvim_win_get_config(window)
  vim.api.nvim_win_call(window, function()
    for row = 0, place.height + 1 do
      for column = 0, place.width + 1 do
        local inside = row > 0 and column > 0 and row <= place.height and column <= place.width
        local look, marked = 'Border', false
        if inside then look, marked = looks[part](row - 1, column - 1) end
        local letter = vim.api.nvim__inspect_cell(grid, row, column)[1]
        screen[place.row[false] + row + 1][place.col[false] + column + 1] = { letter, look, marked }
      end
    end
  end)
  grid = grid + 1
end
vim.fn.writefile({ vim.fn.json_encode(screen) }, [[%s]])"""
"""Each window has cells of its own, in the order in which they were made. Without a screen they have no colours."""


def main() -> None:
    with tempfile.TemporaryDirectory() as work:
        os.environ["CAIRN_HOME"] = str(Path(work) / "home")
        done = cairn("index", str(ROOT))
        if done.returncode:
            sys.exit(done.stderr)
        with neovim(ROOT, Path(work) / "nvim", "limit = 20", "-c", "set laststatus=0") as editor:
            editor.open(ROOT / "src/cairn/__init__.py")
            editor.keys(f":CairnSearch<CR>{QUERY}")
            editor.until(f"local now = require('cairn.picker').current return now and now.asked == '{QUERY}'")
            editor.until("return #require('cairn.picker').current.items > 0")
            editor.keys("<BS>")  # the first answer paid for the start
            editor.until(f"return require('cairn.picker').current.asked == '{QUERY[:-1]}'")
            editor.keys(f"{QUERY[-1]}<C-n><C-p>")
            editor.until(f"return require('cairn.picker').current.shown == '{QUERY}'")
            PICTURE.write_text(drawn(editor), encoding="utf-8")


def drawn(editor: Neovim) -> str:
    """The screen as an SVG."""
    kept = editor.socket.with_name("cells.json")
    editor.lua(_CELLS % kept)  # an answer of this length would be cut
    rows = json.loads(kept.read_text(encoding="utf-8"))
    width, height = len(rows[0]) * _WIDTH, len(rows) * _HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
    ]
    for row, cells in enumerate(rows):
        at = 0
        for (look, marked), run in groupby(cells, key=lambda cell: (cell[1], cell[2])):
            text = "".join(cell[0] or " " for cell in run)
            parts += _run(row, at, text, _INKS.get(look, _INK), marked=marked)
            at += len(text)
    return "\n".join([*parts, "</svg>", ""])


def _run(row: int, column: int, text: str, ink: str, *, marked: bool) -> list[str]:
    x, y, width = column * _WIDTH, row * _HEIGHT, len(text) * _WIDTH
    parts = []
    if marked:
        parts.append(f'<rect x="{x:g}" y="{y}" width="{width:g}" height="{_HEIGHT}" fill="{_MARKED}"/>')
    if text.strip():
        parts.append(
            f'<text x="{x:g}" y="{y + 13}" fill="{ink}" xml:space="preserve" textLength="{width:g}">'
            f"{html.escape(text)}</text>"
        )
    return parts


if __name__ == "__main__":
    main()
