"""The picture of docs/editors.md, drawn from the screen of a real Neovim: `python -m tests.editors.pictures`."""

import html
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.conformance import ROOT
from tests.editors.neovim import Neovim, neovim
from tests.trees import cairn

PICTURE = ROOT / "docs" / "images" / "neovim-finder.svg"
QUERY = "who takes over a stale lease"
_WIDTH, _HEIGHT = 8.4, 17
"""Of a cell."""
_CELLS = """vim.cmd('redraw!') local rows = {}
for row = 0, vim.o.lines - 1 do
  local cells = {}
  for column = 0, vim.o.columns - 1 do
    local cell = vim.api.nvim__inspect_cell(1, row, column)
    local look = cell[2] or {}
    local colours = { look.foreground or -1, look.background or -1 }
    table.insert(cells, { cell[1] or '', colours[1], colours[2], look.reverse or false, look.bold or false })
  end
  table.insert(rows, cells)
end
vim.fn.writefile({ vim.fn.json_encode(rows) }, [[%s]])"""
_WATCH = """local itself = vim.fn.sockconnect('pipe', vim.v.servername, { rpc = true })
vim.rpcnotify(itself, 'nvim_ui_attach', vim.o.columns, vim.o.lines, { rgb = true })"""
"""Windows are laid over each other only for somebody who watches."""
_NORMAL = """local look = vim.api.nvim_get_hl_by_name('Normal', true) return { look.foreground, look.background }"""


def main() -> None:
    with tempfile.TemporaryDirectory() as work:
        os.environ["CAIRN_HOME"] = str(Path(work) / "home")
        done = cairn("index", str(ROOT))
        if done.returncode:
            sys.exit(done.stderr)
        with neovim(ROOT, Path(work) / "nvim", "limit = 20", "-c", "set termguicolors | colorscheme slate") as editor:
            editor.lua(_WATCH)
            editor.open(ROOT / "src/cairn/__init__.py")
            editor.keys(f":CairnSearch<CR>{QUERY}")
            editor.until("local picker = require('cairn.picker').current return picker and #picker.items > 0")
            editor.until(f"return require('cairn.picker').current.asked == '{QUERY}'")
            PICTURE.write_text(drawn(editor), encoding="utf-8")


def drawn(editor: Neovim) -> str:
    """The screen as an SVG."""
    kept = editor.socket.with_name("cells.json")
    editor.lua(_CELLS % kept)  # an answer of this length would be cut
    rows, (ink, paper) = json.loads(kept.read_text(encoding="utf-8")), editor.lua(_NORMAL)
    width, height = len(rows[0]) * _WIDTH, len(rows) * _HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
        f'<rect width="100%" height="100%" fill="{_colour(paper)}"/>',
    ]
    for number, row in enumerate(rows):
        for first, text, look in _runs(row):
            parts += _run(number, first, text, look, ink, paper)
    return "\n".join([*parts, "</svg>", ""])


def _runs(row: list[list[Any]]) -> list[tuple[int, str, list[Any]]]:
    """Cells that look alike, as one: where they begin, their text and their look."""
    found: list[tuple[int, str, list[Any]]] = []
    for column, (text, *look) in enumerate(row):
        if found and found[-1][2] == look:
            first, before, _ = found.pop()
            found.append((first, before + text, look))
        else:
            found.append((column, text, look))
    return found


def _run(row: int, column: int, text: str, look: list[Any], ink: int, paper: int) -> list[str]:
    front, back, is_reversed, is_bold = look
    front, back = (ink if front < 0 else front), (paper if back < 0 else back)
    if is_reversed:
        front, back = back, front
    x, parts = column * _WIDTH, []
    if back != paper:
        parts.append(
            f'<rect x="{x:g}" y="{row * _HEIGHT}" width="{len(text) * _WIDTH:g}" height="{_HEIGHT}" '
            f'fill="{_colour(back)}"/>'
        )
    if text.strip():
        bold = ' font-weight="bold"' if is_bold else ""
        parts.append(
            f'<text x="{x:g}" y="{row * _HEIGHT + 13}" fill="{_colour(front)}"{bold} xml:space="preserve" '
            f'textLength="{len(text) * _WIDTH:g}">{html.escape(text)}</text>'
        )
    return parts


def _colour(number: int) -> str:
    return f"#{number:06x}"


if __name__ == "__main__":
    main()
