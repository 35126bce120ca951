"""What kind of file a path names, by the conventions that most projects keep."""

from functools import lru_cache

from cairn.base import lazy
from cairn.languages.files import OTHER

DOCUMENT_LANGUAGES = frozenset({"markdown", "text", "latex"})
DATA_LANGUAGES = frozenset("json yaml toml ini xml html css ignore go-mod diff gettext make cmake dockerfile".split())
VENDORED = "vendored"
_FOLDERS = {
    "test": "test tests testing __tests__ spec specs testdata fixtures e2e testsuite mocks __mocks__".split(),
    "example": "example examples demo demos sample samples tutorials playground playgrounds".split(),
    VENDORED: ".yarn vendor vendors vendored third_party third-party thirdparty external node_modules deps".split(),
    "bench": "bench benches benchmark benchmarks perf".split(),
    "docs": "doc docs documentation website site".split(),
    "generated": "generated __generated__ gen dist build out".split(),
    "legacy": "legacy deprecated obsolete compat old".split(),
}
_BY_FOLDER = {name: kind for kind, names in _FOLDERS.items() for name in names}
_TEST_NAME = lazy.expression(
    r"(?:^|[._-])(?:tests?|specs?)(?:$|[._-])|^test_|_test$|_spec$|(?<=[a-z0-9])(?:Tests?|Specs?|TestCase)$|^conftest$"
)
_TEST_FOLDER = lazy.expression(r"(?:^|[._-])tests?$|(?<=[a-z])Tests?$")
_BENCH_NAME = lazy.expression(r"(?:^|[._-])bench(?:mark)?s?(?:$|[._-])|(?<=[a-z])Bench(?:mark)?s?$")
_LEGACY_NAME = lazy.expression(r"(?:^|[._-])(?:legacy|deprecated|obsolete|compat|old)(?:$|[._-])")
_GENERATED_NAME = lazy.expression(r"\.(?:pb|g|generated|min|bundle)\.|_pb2|_generated|\.gen\.|-lock\.|\.lock$")


@lru_cache(maxsize=50_000)
def kinds_of(path_key: str, language: str) -> frozenset[str]:
    """The kinds that a file is of: test, example, vendored, bench, docs, generated, ..."""
    *folders, name = path_key.split("/")
    stem = name.rpartition(".")[0] or name
    found = {_BY_FOLDER[folder.lower()] for folder in folders if folder.lower() in _BY_FOLDER}
    if _TEST_NAME.search(stem) or any(_TEST_FOLDER.search(folder) for folder in folders):
        found.add("test")
    if _BENCH_NAME.search(stem):
        found.add("bench")
    if _LEGACY_NAME.search(stem):
        found.add("legacy")
    if _GENERATED_NAME.search(name):
        found.add("generated")
    if name.endswith((".d.ts", ".d.mts", ".d.cts", ".pyi")):
        found.add("declaration")
    # Text in no known language without a suffix is to be read: a ChangeLog, a CODEOWNERS.
    if language in DOCUMENT_LANGUAGES or (language == OTHER and "." not in name.lstrip(".")):
        found.add("docs")
    if language in DATA_LANGUAGES:
        found.add("config")
    return frozenset(found)


def is_named_as_test(path_key: str) -> bool:
    """Whether a file itself is named as tests are, and not only its folder."""
    stem = path_key.rpartition("/")[2].rpartition(".")[0]
    return stem != "conftest" and _TEST_NAME.search(stem) is not None


_TEST_WORDS = frozenset({"test", "tests", "spec", "specs", "testcase"})
_JOINTS = lazy.expression(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=50_000)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a file's or folder's name, without those of tests: `user`, `model` for `UserModelTest.java`."""
    stem = name.rpartition(".")[0] or name
    return tuple(word for word in _JOINTS.sub(" ", stem).lower().split() if word not in _TEST_WORDS)
