"""Neovim, with its own client and the module of `editors/nvim`, against the real language server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.neovim import PROGRAM, Neovim, neovim
from tests.trees import Repo, cairn

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="nvim is not installed: apt-get install neovim"),
]

FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": '''"""What things cost."""


def net_price(gross: float, rate: float) -> float:
    """The price without the tax."""
    return gross / (1 + rate)


class Basket:
    """What somebody buys."""

    def __init__(self) -> None:
        self.items: list[float] = []

    def put_in(self, gross: float) -> None:
        self.items.append(gross)
''',
    "shop/bill.py": '''"""What is paid."""

from shop.prices import Basket, net_price


def total(basket: Basket) -> float:
    größe = "é"; price = sum(net_price(each, 0.2) for each in basket.items)
    return price if größe else 0.0
''',
    "shop/report.py": '''"""What was sold."""

from shop.prices import net_price


def line_of(gross: float) -> str:
    return f"{net_price(gross, 0.2):.2f}"
''',
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    repo = Repo.create(tmp_path / "project")
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    return repo.path


@pytest.fixture
def editor(project: Path, tmp_path: Path) -> Iterator[Neovim]:
    with neovim(project, tmp_path / "nvim", "languages = { 'python' }") as running:
        yield running


QUICKFIX = "return vim.tbl_map(function(each) return each.text end, vim.fn.getqflist())"
LISTED = "return vim.tbl_map(function(each) return each.path end, require('cairn.picker').current.items)"


def test_a_person_follows_a_name_lists_its_uses_and_renames_it_in_all_files(editor: Neovim, project: Path) -> None:
    editor.open(project / "shop/bill.py")
    editor.find("net_price(each")
    editor.lua("vim.lsp.buf.definition()")
    editor.until("return vim.fn.expand('%:t') == 'prices.py'")
    assert editor.here() == ("prices.py", 4, 5)

    editor.lua("vim.lsp.buf.references({ includeDeclaration = false })")
    editor.until("return #vim.fn.getqflist() > 0")
    found = editor.lua(
        "return vim.tbl_map(function(each) return vim.fn.bufname(each.bufnr):match('[^/]*$') .. ':' .. each.lnum end, "
        "vim.fn.getqflist())"
    )
    assert sorted(found) == ["bill.py:3", "bill.py:7", "report.py:3", "report.py:7"]

    editor.lua("vim.cmd('cclose')")
    editor.lua("vim.lsp.buf.rename('price_before_tax')")
    editor.until("return vim.fn.getline(4):match('price_before_tax') ~= nil")
    editor.lua("vim.cmd('silent wall')")
    texts = {name: (project / name).read_text(encoding="utf-8") for name in FILES}
    assert texts == {name: text.replace("net_price", "price_before_tax") for name, text in FILES.items()}


def test_what_is_not_saved_counts(editor: Neovim, project: Path) -> None:
    editor.open(project / "shop/prices.py")
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# é 𝄞', '# two lines more' })")
    editor.lua("vim.cmd('set hidden')")
    editor.open(project / "shop/bill.py")
    more = "{ '', 'def twice(it):', '    return 2 * total(it)', '', 'def four(it):', '    return twice(twice(it))' }"
    editor.lua(f"vim.api.nvim_buf_set_lines(0, -1, -1, false, {more})")
    editor.find("net_price(each")
    editor.lua("vim.lsp.buf.definition()")
    editor.until("return vim.fn.expand('%:t') == 'prices.py'")
    assert editor.here() == ("prices.py", 6, 5)

    editor.open(project / "shop/bill.py")
    editor.find("twice(twice")
    editor.lua("vim.lsp.buf.definition()")
    editor.until("return vim.fn.line('.') ~= 14")
    assert editor.here() == ("bill.py", 10, 5)


def test_every_name_of_the_project_is_a_symbol(editor: Neovim, project: Path) -> None:
    editor.open(project / "shop/report.py")
    editor.lua("vim.lsp.buf.workspace_symbol('Bask')")
    editor.until("return #vim.fn.getqflist() > 0")
    assert "Basket" in editor.lua(QUICKFIX)[0]


def test_the_picker_searches_as_one_types_and_enter_opens(editor: Neovim, project: Path) -> None:
    editor.keys(":CairnSearch<CR>")
    editor.until("return vim.fn.mode() == 'i'")
    for typed in ("the price ", "without ", "the tax"):
        editor.keys(typed)
    editor.until("return require('cairn.picker').current.shown == 'the price without the tax'")
    assert editor.lua(LISTED)[0] == "shop/prices.py"
    preview = "return vim.api.nvim_buf_get_lines(require('cairn.picker').current.preview.buffer, 0, -1, false)"
    assert "def net_price(gross: float, rate: float) -> float:" in editor.lua(preview)
    editor.keys("<CR>")
    editor.until("return vim.fn.expand('%:t') == 'prices.py'")
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1
    assert editor.until("return vim.fn.mode() == 'n'")


def test_the_picker_moves_takes_back_what_was_typed_before_and_leaves_everything_as_it_was(
    editor: Neovim, project: Path
) -> None:
    editor.open(project / "shop/report.py")
    editor.keys(":CairnSymbols price<CR>")
    editor.until("local picker = require('cairn.picker').current return picker and #picker.items > 0")
    editor.keys("<C-w>")
    editor.until("return #require('cairn.picker').current.items == 0")
    editor.keys("Basket")
    names = "return vim.tbl_map(function(each) return each.name end, require('cairn.picker').current.items)"
    editor.until("local first = require('cairn.picker').current.items[1] return first and first.name == 'Basket'")
    assert editor.lua(names)[0] == "Basket"
    editor.keys("<Esc>")
    editor.until("return #vim.api.nvim_list_wins() == 1")
    assert editor.here()[0] == "report.py"


def test_the_commands_tell_what_depends_on_a_name_the_state_and_a_map(editor: Neovim, project: Path) -> None:
    editor.open(project / "shop/prices.py")
    editor.find("net_price")
    editor.keys(":CairnImpact<CR>")
    editor.until("return #vim.fn.getqflist() > 0")
    assert any("total" in text for text in editor.lua(QUICKFIX))
    editor.keys(":cclose<CR>:CairnMap<CR>")
    editor.until("return vim.bo.buftype == 'nofile' and vim.fn.search('prices.py') > 0")
    editor.keys(":bwipeout<CR>:CairnStatus<CR>")
    editor.until("return vim.fn.execute('messages'):match('Cairn: project is') ~= nil")
    editor.keys(":CairnIndex<CR>")
    editor.until("return vim.fn.execute('messages'):match('Cairn: indexed') ~= nil")
