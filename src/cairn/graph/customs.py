"""What languages let a name mean: whose members it may be, which files it sees, what one calls oneself."""

import re

from cairn.store import SymbolRow

SEES_MEMBERS = frozenset({"java", "kotlin", "csharp", "cpp", "swift", "scala", "ruby", "dart"})
"""Languages in which a bare name may be a member of the type around it."""
PACKAGES = frozenset({"go", "java", "kotlin", "scala", "swift"})
"""Languages in which the files of a folder see each other's top."""
_JVM = frozenset({"java", "kotlin", "scala"})
ANY_FILE = frozenset(
    {
        "c",
        "objective-c",
        "cpp",
        "ruby",
        "php",
        "bash",
        "lua",
        "perl",
        "elixir",
        "r",
        "julia",
        "csharp",
        "swift",
        "haskell",
        "ocaml",
    }
)
"""Languages in which a bare name may come from a file that isn't named."""
SCATTERED = frozenset({"go", "rust", "cpp", "csharp", "swift", "ruby"})
"""Languages in which the members of a type may stand in several files."""
REOPENED = frozenset({"cpp", "csharp", "swift", "ruby"})
"""Languages in which several files may write the head of one type."""
PATHS_TO_NAMES = frozenset({"java", "kotlin", "scala", "php", "csharp", "rust", "elixir"})
"""Languages whose imports name a definition and not a file."""
PASSES_ON = frozenset({"python", "c", "cpp", "objective-c", "ruby", "php", "bash", "lua", "perl", "julia"})
"""Languages in which importing everything also gives what was imported there."""
NAMESPACES = frozenset({"javascript", "typescript", "tsx", "rust"})
"""Languages in which the names of a module inside of a file hide those around it."""
UNCALLED_FIELDS = frozenset({"java", "rust"})
"""Languages in which `x.f()` never means a field."""
CALLED_APART = frozenset({"java", "ruby"})
"""Languages in which a variable hides no method of its name: what is called is never a variable."""
FIELDS = frozenset({"constant", "field", "property", "variable"})
RETYPED = frozenset({"python", "php"})
"""Languages in which a parameter may be given a value of another type than its head says."""
SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_SELVES = {
    "python": frozenset({"self", "cls"}),
    "rust": frozenset({"self", "Self"}),
    "swift": frozenset({"self", "Self"}),
    "ruby": frozenset({"self"}),
    "objective-c": frozenset({"self"}),
    "php": frozenset({"$this", "self", "static"}),
    "go": frozenset[str](),
}
_PARENTS = {
    "python": frozenset({"super()"}),
    "csharp": frozenset({"base"}),
    "php": frozenset({"parent"}),
    "rust": frozenset[str](),
    "go": frozenset[str](),
}
_THIS, _SUPER = frozenset({"this"}), frozenset({"super"})
_FAMILIES = {
    "tsx": "javascript",
    "typescript": "javascript",
    "c": "c",
    "cpp": "c",
    "objective-c": "c",
    "kotlin": "java",
    "scala": "java",
}
_SOURCES = re.compile(r"(^|/)src/[^/]+/(?:java|kotlin|scala)(?=/|$)")
_SINGLETON = re.compile(r"(?:\w+\s+)*def\s+[\w:]+\s*\.")
_MIXED = re.compile(r"\bclass\s*<<|\bmodule_function\b|\bextend\b|\bdefine_singleton_method\b")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl")


def is_singleton(symbol: SymbolRow) -> bool:
    """Whether a method of Ruby is one of a class itself, as its head says."""
    return _SINGLETON.match(symbol.signature) is not None


def mixes_sides(text: str) -> bool:
    """Whether a text of Ruby has methods of a class whose heads don't say it."""
    return _MIXED.search(text) is not None


def selves(language: str) -> frozenset[str]:
    """Words for the value whose member one is in."""
    return _SELVES.get(language, _THIS)


def parents(language: str) -> frozenset[str]:
    """Words for that value as what its type is derived from."""
    return _PARENTS.get(language, _SUPER)


def family(language: str) -> str:
    """Languages that call each other's names."""
    return _FAMILIES.get(language, language)


def package_of(language: str, path: str) -> str:
    """What files share that see each other's top: a folder, and on the JVM the same one below each source root."""
    folder = path.rpartition("/")[0]
    return _SOURCES.sub(r"\1src", folder) if language in _JVM else folder


def is_header(path: str) -> bool:
    return path.endswith(_HEADERS)
