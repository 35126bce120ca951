"""Which language a file is written in, by its name and, for scripts, its first line."""

from cairn.base import lazy

_BY_SUFFIX = {
    "bash": "sh bash zsh ksh bats",
    "c": "c h",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp ixx cppm cu cuh",
    "csharp": "cs csx",
    "css": "css scss sass less",
    "cue": "cue",
    "d": "d",
    "dart": "dart",
    "diff": "diff patch",
    "elixir": "ex exs",
    "elm": "elm",
    "erlang": "erl hrl",
    "fortran": "f f90 f95 f03 f08 for",
    "fsharp": "fs fsi fsx",
    "gettext": "po pot",
    "gleam": "gleam",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs lhs hsc",
    "hcl": "tf tfvars hcl nomad tofu",
    "html": "html htm xhtml vue svelte astro erb eex heex leex",
    "ini": "ini cfg conf properties",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "json": "json jsonc json5 ndjson jsonl webmanifest",
    "julia": "jl",
    "kotlin": "kt kts",
    "latex": "tex sty cls bib",
    "lua": "lua rockspec",
    "markdown": "md markdown mdx mkd",
    "nim": "nim nims",
    "nix": "nix",
    "objective-c": "m mm",
    "ocaml": "ml mli mll mly",
    "pascal": "pas pp",
    "perl": "pl pm t",
    "php": "php phtml php5",
    "powershell": "ps1 psm1 psd1",
    "protobuf": "proto",
    "python": "py pyi pyw pyx pxd",
    "r": "r rmd",
    "racket": "rkt",
    "ruby": "rb rake gemspec ru",
    "rust": "rs",
    "scala": "scala sc sbt",
    "scheme": "scm ss",
    "solidity": "sol",
    "sql": "sql ddl dml psql pgsql",
    "swift": "swift",
    "tcl": "tcl",
    "text": "txt rst adoc asciidoc org log text",
    "toml": "toml",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "verilog": "v sv svh vh",
    "vhdl": "vhd vhdl",
    "vim": "vim",
    "xml": "xml xsd xsl xslt svg plist csproj fsproj vbproj props targets",
    "yaml": "yaml yml",
    "zig": "zig zon",
}
_BY_NAME = {
    "bash": ".bashrc .bash_profile .profile .zshrc .zshenv PKGBUILD APKBUILD",
    "cmake": "CMakeLists.txt",
    "dockerfile": "Dockerfile Containerfile",
    "go-mod": "go.mod go.sum go.work",
    "ignore": ".gitignore .dockerignore .npmignore .cairnignore .eslintignore .prettierignore",
    "ini": ".editorconfig .gitconfig .gitmodules",
    "json": ".eslintrc .prettierrc .babelrc composer.lock Pipfile.lock",
    "make": "Makefile makefile GNUmakefile Kbuild",
    "python": "SConstruct SConscript wscript",
    "ruby": "Rakefile Gemfile Podfile Vagrantfile Guardfile Fastfile Brewfile",
    "starlark": "BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel MODULE.bazel Tiltfile",
    "text": "README LICENSE LICENCE COPYING AUTHORS CHANGELOG CHANGES CONTRIBUTORS NEWS NOTICE TODO VERSION",
    "toml": "Cargo.lock poetry.lock uv.lock Pipfile",
    "yaml": ".clang-format .clang-tidy pubspec.lock",
}
_BY_INTERPRETER = {
    "bash": "sh bash zsh dash ksh ash bats",
    "elixir": "elixir",
    "javascript": "node nodejs deno bun",
    "lua": "lua luajit",
    "make": "make",
    "perl": "perl",
    "php": "php",
    "python": "python pypy",
    "r": "rscript",
    "ruby": "ruby",
    "tcl": "tclsh wish",
}


def _inverted(table: dict[str, str]) -> dict[str, str]:
    return {name: language for language, names in table.items() for name in names.split()}


_SUFFIXES = _inverted(_BY_SUFFIX) | {"bzl": "starlark", "mk": "make", "mak": "make", "dockerfile": "dockerfile"}
_NAMES = _inverted(_BY_NAME)
_INTERPRETERS = _inverted(_BY_INTERPRETER)
_SHEBANG = lazy.expression(
    rb"#!\s*(?:\S*/)?env(?:\s+-\S+)*(?:\s+\w+=\S*)*\s+(?:\S*/)?([A-Za-z]+)|#!\s*(?:\S*/)?([A-Za-z]+)"
)

OTHER = "other"
_SPOKEN = {"c++": "cpp", "c#": "csharp", "objc": "objective-c", "golang": "go", "shell": "bash", "docs": "markdown"}


def language_named(name: str) -> str | None:
    """A language by its name, or by a suffix that stands for it as in `js` or `rs`."""
    low = name.lower().lstrip(".")
    if low in _BY_SUFFIX or low in _BY_NAME or low == OTHER:
        return low
    return _SPOKEN.get(low) or _SUFFIXES.get(low)


def language_of(path_key: str, head: bytes = b"") -> str:
    """The language's name; "other" for text of no known kind."""
    name = path_key.rpartition("/")[2]
    language = _NAMES.get(name)
    if language is not None:
        return language
    _, dot, suffix = name.rpartition(".")
    if dot and (language := _SUFFIXES.get(suffix.lower())) is not None:
        return language
    if name.startswith(("Dockerfile.", "Containerfile.")):
        return "dockerfile"
    if head.startswith(b"#!"):
        match = _SHEBANG.match(head.split(b"\n", 1)[0])
        if match:
            interpreter = (match[1] or match[2]).decode().lower()
            return _INTERPRETERS.get(interpreter, OTHER)
    return OTHER
