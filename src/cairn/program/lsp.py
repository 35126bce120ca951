"""`cairn lsp`: the language server over standard input and output."""

import argparse
from typing import Any

from cairn.surfaces.cli.arguments import add_offline


def add_to(commands: Any) -> None:
    """Add the command `lsp`."""
    parser = commands.add_parser(
        "lsp",
        help="serve an editor as a language server (standard input and output)",
        description="Serve the index to an editor over the Language Server Protocol, on standard input and output: "
        "search, symbols, definitions, references, calls, types, hover and rename, beside the servers that languages "
        "have of their own. Settings: docs/lsp.md.",
        epilog="Example: cairn lsp --stdio. In Neovim: vim.lsp.start({ name = 'cairn', cmd = { 'cairn', 'lsp' }, "
        "root_dir = vim.fn.getcwd() }). docs/editors.md has the lines for other editors.",
        allow_abbrev=False,
    )
    parser.add_argument("--stdio", action="store_true", help="what editors add by habit; there is no other way")
    add_offline(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve an editor until it hangs up: the process ends with it."""
    from cairn.config.user import cairn_home
    from cairn.surfaces.lsp.server import serve

    serve(cairn_home(), offline=options.offline)
