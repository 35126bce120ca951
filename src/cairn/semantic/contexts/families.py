"""Language families and the manifests that make a folder a root of one: a table."""

from collections.abc import Callable
from functools import cache

from cairn.base.values import dataclass
from cairn.semantic.contexts import listings
from cairn.semantic.contexts.values import PACKAGE, WORKSPACE, PackageListing

Reader = Callable[[str], PackageListing]

SKIPPED_FOLDERS = frozenset(
    ".git .hg .svn node_modules bower_components .yarn site-packages __pycache__ .venv venv .tox .nox .gradle".split()
)
"""Folders of other people's code: nothing beneath them is a manifest or a member, even if it is indexed."""


@dataclass(frozen=True, slots=True)
class ManifestKind:
    """A file name that marks a root."""

    name: str
    """A whole name, or one with a star before its end: `*.sln`."""
    tier: int = PACKAGE
    read: Reader = listings.silent
    weak: bool = False
    """Whether it marks a root only if no other root of the family is above: `docs/requirements.txt` doesn't."""
    extends: bool = False
    """Whether it may extend other files, which then count too."""
    folder: str = ""
    """The folder inside of the root that the file is in: `.mvn`."""

    @property
    def tells(self) -> bool:
        """Whether there is something to read in it."""
        return self.read is not listings.silent

    def root_of(self, path: str) -> str:
        """The root that a file of this name marks."""
        folder = path.rpartition("/")[0]
        return folder[: len(folder) - len(self.folder)].rstrip("/") if self.folder else folder


@dataclass(frozen=True, slots=True)
class Family:
    """Languages that one tool understands together."""

    name: str
    languages: frozenset[str]
    manifests: tuple[ManifestKind, ...] = ()
    """None for an ambient family: it has one context, the whole tree."""
    data: bool = False
    """Whether it is a data format, of which a single syntax error makes a file invalid."""
    bring: bool = False
    """Whether a listed package lists others for its workspace: Maven's modules, the path dependencies of Cargo."""

    @property
    def ambient(self) -> bool:
        """Whether the family needs no manifest: its one context is the whole tree."""
        return not self.manifests


def _family(name: str, languages: str, *manifests: ManifestKind, data: bool = False, bring: bool = False) -> Family:
    return Family(name, frozenset(languages.split()), manifests, data, bring)


FAMILIES = (
    _family(
        "javascript",
        "javascript typescript tsx",
        ManifestKind("pnpm-workspace.yaml", WORKSPACE, listings.pnpm),
        ManifestKind("lerna.json", WORKSPACE, listings.lerna),
        ManifestKind("nx.json", WORKSPACE, listings.any_json),
        ManifestKind("turbo.json", WORKSPACE, listings.any_json),
        ManifestKind("rush.json", WORKSPACE, listings.rush),
        ManifestKind("package.json", PACKAGE, listings.package_json),
        ManifestKind("deno.json", PACKAGE, listings.deno),
        ManifestKind("deno.jsonc", PACKAGE, listings.deno),
        ManifestKind("tsconfig.json", PACKAGE, listings.any_json, weak=True, extends=True),
        ManifestKind("jsconfig.json", PACKAGE, listings.any_json, weak=True, extends=True),
    ),
    _family(
        "python",
        "python",
        ManifestKind("uv.lock", WORKSPACE),
        ManifestKind("poetry.lock", WORKSPACE),
        ManifestKind("Pipfile.lock", WORKSPACE),
        ManifestKind("pyproject.toml", PACKAGE, listings.pyproject),
        ManifestKind("setup.py"),
        ManifestKind("setup.cfg"),
        ManifestKind("Pipfile", PACKAGE, listings.any_toml),
        ManifestKind("requirements.txt", weak=True),
        ManifestKind("pyrightconfig.json", PACKAGE, listings.any_json, weak=True, extends=True),
    ),
    _family("go", "go", ManifestKind("go.work", WORKSPACE, listings.go_work), ManifestKind("go.mod")),
    _family("rust", "rust", ManifestKind("Cargo.toml", PACKAGE, listings.cargo), bring=True),
    _family(
        "jvm",
        "java kotlin scala groovy",
        ManifestKind("settings.gradle", WORKSPACE, listings.gradle),
        ManifestKind("settings.gradle.kts", WORKSPACE, listings.gradle),
        ManifestKind("*", WORKSPACE, folder=".mvn"),
        ManifestKind("*", WORKSPACE, folder=".mvn/wrapper"),
        ManifestKind("build.gradle"),
        ManifestKind("build.gradle.kts"),
        ManifestKind("pom.xml", PACKAGE, listings.pom),
        ManifestKind("build.sbt"),
        bring=True,
    ),
    _family(
        "dotnet",
        "csharp fsharp",
        ManifestKind("*.sln", WORKSPACE, listings.solution),
        ManifestKind("*.slnx", WORKSPACE, listings.solution_xml),
        ManifestKind("*.csproj"),
        ManifestKind("*.fsproj"),
        ManifestKind("*.vbproj"),
    ),
    _family(
        "cpp",
        "c cpp objective-c",
        ManifestKind("compile_commands.json", WORKSPACE),
        ManifestKind("CMakeLists.txt", weak=True),
        ManifestKind("meson.build", weak=True),
    ),
    _family("ruby", "ruby", ManifestKind("Gemfile"), ManifestKind("*.gemspec")),
    _family("php", "php", ManifestKind("composer.json", PACKAGE, listings.any_json)),
    _family("swift", "swift", ManifestKind("Package.swift")),
    _family("elixir", "elixir", ManifestKind("mix.exs")),
    _family(
        "haskell",
        "haskell",
        ManifestKind("cabal.project", WORKSPACE),
        ManifestKind("stack.yaml"),
        ManifestKind("*.cabal"),
    ),
    _family("protobuf", "protobuf", ManifestKind("buf.work.yaml", WORKSPACE), ManifestKind("buf.yaml")),
    _family("sql", "sql"),
    _family("docker", "dockerfile"),
    _family("docs", "markdown text latex"),
    _family("graphql", "graphql"),
    _family("web", "html css"),
    _family("data", "json yaml", data=True),
    _family("config", "toml ini xml", data=True),
    _family("build", "make cmake starlark hcl"),
)


@cache
def families() -> dict[str, Family]:
    """All families by name."""
    return {family.name: family for family in FAMILIES}


@cache
def family_of(language: str) -> Family | None:
    """The family of a language; None if it has none."""
    return next((family for family in FAMILIES if language in family.languages), None)


def manifests_named(path: str) -> list[tuple[Family, ManifestKind]]:
    """The families and kinds of manifest that a file's name, and its folder's, stand for."""
    folder, _, name = path.rpartition("/")
    found = _by_name().get(name, [])
    if name.endswith(_suffixes()):
        found = found + [marked for suffix, marked in _by_suffix() if name.endswith(suffix) and name != suffix]
    if folder.endswith(_FOLDERS):
        found = found + [marked for marked in _by_folder() if f"/{folder}".endswith(f"/{marked[1].folder}")]
    return found


_FOLDERS = tuple(item.folder for family in FAMILIES for item in family.manifests if item.folder)


@cache
def _marks() -> list[tuple[Family, ManifestKind]]:
    return [(family, item) for family in FAMILIES for item in family.manifests]


@cache
def _by_name() -> dict[str, list[tuple[Family, ManifestKind]]]:
    found: dict[str, list[tuple[Family, ManifestKind]]] = {}
    for marked in _marks():
        if not marked[1].name.startswith("*"):
            found.setdefault(marked[1].name, []).append(marked)
    return found


@cache
def _by_suffix() -> list[tuple[str, tuple[Family, ManifestKind]]]:
    return [(marked[1].name[1:], marked) for marked in _marks() if marked[1].name.startswith("*.")]


@cache
def _suffixes() -> tuple[str, ...]:
    return tuple(suffix for suffix, _ in _by_suffix())


@cache
def _by_folder() -> list[tuple[Family, ManifestKind]]:
    return [marked for marked in _marks() if marked[1].folder]
