"""A real Neovim without a screen: keys are typed into it, and Lua tells what came of them."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance import ROOT

PROGRAM = shutil.which("nvim")
MODULE = ROOT / "editors" / "nvim"
PATIENCE_S = 60
"""Far more than anything takes; what doesn't come at all ends a test here."""


@dataclass(frozen=True, slots=True)
class Neovim:
    """An editor that listens on a socket."""

    socket: Path
    process: "subprocess.Popen[str]"

    def keys(self, keys: str) -> None:
        """Type, as a person would; `<CR>` and its like are keys."""
        self._remote("--remote-send", keys)

    def lua(self, body: str) -> Any:
        """What a piece of Lua returns, as JSON can tell it."""
        called = "(function() " + " ".join(body.split("\n")) + " end)()"
        answer = self._remote("--remote-expr", f"json_encode(luaeval({_quoted(called)}))")
        try:
            return json.loads(answer)
        except ValueError as error:
            raise AssertionError(f"Neovim answers {body}: {answer}") from error

    def until(self, body: str) -> Any:
        """Ask until the answer is neither nothing nor false; each question waits for the editor, so none is lost."""
        end = time.monotonic() + PATIENCE_S
        while not (answer := self.lua(body)):
            if time.monotonic() > end:
                raise AssertionError(f"{body} stays {answer}; messages: {self.messages()}")
        return answer

    def messages(self) -> str:
        return str(self.lua('return vim.fn.execute("messages")'))

    def open(self, path: Path) -> None:
        """Open a file and wait until a server has it."""
        self.lua(f"vim.cmd('edit ' .. vim.fn.fnameescape({_quoted(str(path))}))")
        self.until("local found = vim.lsp.buf_get_clients(0) local _, one = next(found) return one and one.initialized")

    def find(self, text: str) -> None:
        """Put the cursor on the first place of a text in the buffer."""
        self.lua(f"vim.fn.cursor(1, 1) vim.fn.search([[\\V{text}]], 'c')")

    def here(self) -> tuple[str, int, int]:
        """The name of the file and where the cursor is."""
        name, line, column = self.lua('return {vim.fn.expand("%:t"), vim.fn.line("."), vim.fn.col(".")}')
        return name, line, column

    def _remote(self, how: str, text: str) -> str:
        assert PROGRAM is not None
        done = subprocess.run(
            (PROGRAM, "--server", str(self.socket), how, text), capture_output=True, text=True, timeout=PATIENCE_S
        )
        if done.returncode:
            raise AssertionError(f"Neovim answers {text}: {done.stderr}")
        return done.stdout or done.stderr  # 0.7 answers on standard error


@contextmanager
def neovim(folder: Path, work: Path, settings: str, *arguments: str) -> Iterator[Neovim]:
    """Neovim in a folder with the module set up, and nothing of the user's."""
    assert PROGRAM is not None
    work.mkdir(parents=True, exist_ok=True)
    start, socket = work / "init.lua", work / "socket"
    command = f"cmd = {{ {_quoted(sys.executable)}, '-m', 'cairn', 'lsp' }}"
    start.write_text(
        f"vim.opt.runtimepath:append({_quoted(str(MODULE))})\n"
        f"vim.o.swapfile = false\nvim.o.columns, vim.o.lines = 120, 32\n"
        f'require("cairn").setup({{ {command}, {settings} }})\n',
        encoding="utf-8",
    )
    process = subprocess.Popen(
        (PROGRAM, "--headless", "--clean", "-u", str(start), "--listen", str(socket), *arguments),
        cwd=folder,
        env=os.environ | {"XDG_STATE_HOME": str(work), "XDG_CACHE_HOME": str(work)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        end = time.monotonic() + PATIENCE_S
        while not socket.exists():
            assert process.poll() is None, "Neovim has ended"
            assert time.monotonic() < end, "Neovim does not listen"
            time.sleep(0.01)
        yield Neovim(socket, process)
    finally:
        process.terminate()
        process.wait()


def _quoted(text: str) -> str:
    """A text in single quotes, which Lua and Vim read alike but for a quote inside."""
    return "'" + text.replace("'", "''") + "'"
