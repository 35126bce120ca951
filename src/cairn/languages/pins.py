"""Which grammar each language is parsed with: a part of the index fingerprint.

Told here once more because every command needs the fingerprint, and few need the grammars; a test
keeps both alike.
"""

from collections.abc import Mapping

GRAMMAR_PINS: Mapping[str, str] = {
    "bash": "tree-sitter-bash==0.25.1",
    "c": "tree-sitter-c==0.24.2",
    "cpp": "tree-sitter-cpp==0.23.4",
    "csharp": "tree-sitter-c-sharp==0.23.5",
    "css": "tree-sitter-css==0.25.0",
    "dart": "tree-sitter-dart==0.1.0",
    "elixir": "tree-sitter-elixir==0.3.5",
    "go": "tree-sitter-go==0.25.0",
    "haskell": "tree-sitter-haskell==0.24.1",
    "hcl": "tree-sitter-hcl==1.2.0",
    "html": "tree-sitter-html==0.23.2",
    "java": "tree-sitter-java==0.23.5",
    "javascript": "tree-sitter-javascript==0.25.0",
    "json": "tree-sitter-json==0.24.8",
    "julia": "tree-sitter-julia==0.23.1",
    "kotlin": "tree-sitter-kotlin==1.1.0",
    "lua": "tree-sitter-lua==0.5.0",
    "make": "tree-sitter-make==1.1.1",
    "markdown": "tree-sitter-markdown==0.5.4",
    "objective-c": "tree-sitter-objc==3.0.2",
    "ocaml": "tree-sitter-ocaml==0.26.0",
    "ocaml-interface": "tree-sitter-ocaml==0.26.0",
    "perl": "tree-sitter-perl==2.0.3",
    "php": "tree-sitter-php==0.25.1",
    "python": "tree-sitter-python==0.25.0",
    "ruby": "tree-sitter-ruby==0.23.1",
    "rust": "tree-sitter-rust==0.24.2",
    "scala": "tree-sitter-scala==0.26.3",
    "sql": "tree-sitter-sql==0.3.11",
    "swift": "tree-sitter-swift==0.7.4",
    "toml": "tree-sitter-toml==0.7.0",
    "tsx": "tree-sitter-typescript==0.23.2",
    "typescript": "tree-sitter-typescript==0.23.2",
    "yaml": "tree-sitter-yaml==0.7.2",
    "zig": "tree-sitter-zig==1.1.2",
}
