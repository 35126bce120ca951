import ast
import hashlib
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cairn
from cairn.base.errors import ConfigError, ExitCode, IgnoreFileError
from cairn.base.notes import Note
from cairn.config.project import IndexSettings, parse_config
from cairn.workspace.beneath import Beneath
from cairn.workspace.detector import ChangeDetector
from cairn.workspace.eligibility import SkipReason
from cairn.workspace.entries import TreeScan
from cairn.workspace.ignore import MAX_IGNORE_BYTES, MAX_RULES, RuleChain, excludes_from, parse_ignore
from cairn.workspace.root import find_root
from cairn.workspace.scan import Scanner
from tests.trees import Repo, write

SOURCE = Path(cairn.__file__).parent
DEFAULTS = IndexSettings()
FINGERPRINT_OF_NOTHING = hashlib.sha256(b"").hexdigest()


@contextmanager
def scanner(root: Path, settings_: IndexSettings = DEFAULTS) -> Iterator[Scanner]:
    with Beneath(str(root)) as tree:
        yield Scanner(tree, settings_)


def scan(root: Path, settings_: IndexSettings = DEFAULTS) -> TreeScan:
    with scanner(root, settings_) as scans:
        return scans.scan()


def warm(scans: Scanner) -> TreeScan:
    """Scan until everything is so old that its stamp is trusted."""
    while scans.scan().hashed:
        pass
    return scans.scan()


def eligible(root: Path, settings_: IndexSettings = DEFAULTS) -> set[str]:
    return {entry.raw for entry in scan(root, settings_).files}


def reasons(found: TreeScan) -> dict[str, SkipReason]:
    return {skip.path: skip.reason for skip in found.skips}


def git_shows(repo: Repo) -> set[str]:
    """The files that git would take in: tracked or not ignored."""
    done = subprocess.run(
        ("git", "-C", str(repo.path), "ls-files", "-co", "--exclude-standard", "-z"), capture_output=True, check=True
    )
    return {os.fsdecode(path) for path in done.stdout.split(b"\0") if path}


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


@dataclass(frozen=True, slots=True)
class Golden:
    """A tree whose visible files are known by hand."""

    name: str
    rules: Mapping[str, str | bytes]
    hidden: str
    shown: str = ""


GOLDEN = [
    Golden("negation takes back in", {"": "*.log\n!keep.log\n"}, "a.log d/a.log", "keep.log d/keep.log a.py"),
    Golden("the last match wins", {"": "!a.log\n*.log\n"}, "a.log b.log"),
    Golden("a later negation of a negation", {"": "*.log\n!a.log\na.*\n"}, "a.log b.log a.py", "b.py"),
    Golden("a deeper file goes first", {"": "*.log\n", "d": "!*.log\n"}, "a.log", "d/a.log d/e/b.log"),
    Golden("a deeper file hides more", {"": "!*.log\n", "d": "*.log\n"}, "d/a.log", "a.log"),
    Golden("three depths", {"": "*.x\n", "d": "!*.x\n", "d/e": "*.x\n"}, "a.x d/e/a.x d/e/f/a.x", "d/a.x"),
    Golden("a nested file reaches only its own folder", {"d": "*.log\n"}, "d/a.log", "a.log de/a.log"),
    Golden("a nested rule is anchored there", {"d": "/a.py\ne/b.py\n"}, "d/a.py d/e/b.py", "a.py e/b.py d/e/a.py"),
    Golden("nothing comes back from below a hidden folder", {"": "d/\n!d/a.py\n!*.py\n"}, "d/a.py d/e/b.py", "a.py"),
    Golden("a nested file in a hidden folder is not read", {"": "d\n", "d": "!*\n"}, "d/a.py d/.gitignore"),
    Golden("hidden content, folder kept", {"": "d/*\n!d/a.py\n"}, "d/b.py d/e/a.py", "d/a.py"),
    Golden("a folder taken back in", {"": "/*\n!/src/\n!.gitignore\n"}, "a.py b/a.py", "src/a.py src/d/b.py"),
    Golden("white list", {"": "*\n!*/\n!*.py\n"}, "a.txt d/a.txt .gitignore", "a.py d/e/a.py"),
    Golden("anchored", {"": "/a.py\n"}, "a.py", "d/a.py"),
    Golden("a slash in the middle anchors", {"": "d/a.py\n"}, "d/a.py", "e/d/a.py a.py"),
    Golden("folders only", {"": "build/\n"}, "build/a.py d/build/b.py", "e/build"),
    Golden("folders only, anchored", {"": "/build/\n"}, "build/a.py", "d/build/b.py builder/a.py"),
    Golden("folders only, two deep", {"": "a/b/\n"}, "a/b/c.py", "a/bc/c.py x/a/b/c.py"),
    Golden("double star first", {"": "**/x.py\n**/d/e.py\n"}, "x.py a/b/x.py d/e.py a/d/e.py", "e.py"),
    Golden("double star last", {"": "d/**\n"}, "d/a.py d/e/a.py", "a.py e/d/a.py"),
    Golden("double star last, negated", {"": "d/**\n!d/**/\n!d/**/*.py\n"}, "d/a.txt d/e/a.txt", "d/a.py d/e/a.py"),
    Golden("double star in the middle", {"": "a/**/z.py\n"}, "a/z.py a/b/z.py a/b/c/z.py", "z.py b/a/z.py"),
    Golden("double star behind text", {"": "foo**/bar\n"}, "foobar foox/bar foo/bar foo/x/bar", "xfoo/bar"),
    Golden("double star inside a part", {"": "a**b\n"}, "ab axxb d/a--b", "a/b"),
    Golden("escaped first characters", {"": "\\#a\n\\!b\n#c\n"}, "#a !b", "#c c a b"),
    Golden("trailing spaces", {"": "a.py   \n"}, "a.py"),
    Golden("comments and blank lines", {"": "\n# *.py\n\n   \n\t\n*.log\n"}, "a.log", "a.py"),
    Golden("a lone slash, bang or backslash", {"": "/\n//\n!\n\\\n!/\n"}, "", "a.py d/a.py !"),
    Golden("doubled slash at the end", {"": "d//\n"}, "", "d/a.py d/e/a.py"),
    Golden("CRLF", {"": "a.py\r\n/d/\r\n# b.py\r\n\r\n!x\r\n"}, "a.py d/c.py", "b.py e/b.py"),
    Golden("CR at the end of the file", {"": "*.log\na.py\r"}, "a.py a.log", "b.py"),
    Golden("CR inside a line", {"": "a.py\r \n"}, "", "a.py"),
    Golden("byte order mark", {"": b"\xef\xbb\xbfa.py\n\xef\xbb\xbfb.py\n"}, "a.py", "b.py"),
    Golden("byte order mark before a negation", {"": b"\xef\xbb\xbf!a.py\n", "d": "*.py\n"}, "d/a.py", "a.py"),
    Golden("NUL ends a line", {"": b"a.py\0.txt\n\0*\nb*\0\n"}, "a.py b.py", "a.py.txt c.py"),
    Golden("NUL behind spaces", {"": b"a.py  \0z\n"}, "a.py", "b.py"),
    Golden("no newline at the end", {"": "*.log\na.py"}, "a.py b.log", "b.py"),
    Golden("only a newline", {"": "\n"}, "", "a.py"),
    Golden("empty file", {"": ""}, "", "a.py"),
    Golden("brackets", {"": "[ab].py\n[!x-z].c\n[]-]\n[[:digit:]]\n"}, "a.py b.py a.c ] - 1", "c.py x.c 12"),
    Golden("bad brackets match nothing", {"": "[a.py\n[[:nope:]].py\n[\n"}, "", "a.py [a.py n.py ["),
    Golden("case counts", {"": "README\n"}, "README", "readme Readme/a.py"),
    Golden("dot names are ordinary names", {"": "*\n!.gitignore\n"}, ".hidden .d/a.py a.py"),
    Golden("star keeps to its folder", {"": "/a*z\na/*.py\n"}, "abcz a/b.py", "a/b/z a/b/c.py"),
    Golden("question mark is one byte", {"": "x?\ny??\n"}, "xa yé", "xé ya"),
    Golden("non-ASCII", {"": "é.py\n*ß*\n/日本/\n"}, "é.py straße 日本/a.py", "e.py e\u0301.py d/日本/a.py"),
    Golden("normal forms are not folded", {"": "e\u0301.py\n"}, "e\u0301.py", "é.py"),
    Golden("invalid UTF-8 in a rule", {"": b"\xff*\n\xc3?\na.py\n"}, "a.py é", "b.py"),
    Golden("a file hides itself", {"": ".gitignore\n", "d": "a.py\n"}, ".gitignore d/.gitignore d/a.py", "a.py"),
    Golden("quoted patterns are not unquoted", {"": '"a.py"\n'}, '"a.py"', "a.py"),
]  # fmt: skip


@pytest.mark.requirement("IGN.2")
@pytest.mark.parametrize("golden", GOLDEN, ids=[golden.name for golden in GOLDEN])
def test_a_golden_tree_agrees_with_git(repo: Repo, golden: Golden) -> None:
    hidden, shown = set(golden.hidden.split()), set(golden.shown.split())
    for name in hidden | shown:
        repo.write(name)
    for folder, data in golden.rules.items():
        name = f"{folder}/.gitignore" if folder else ".gitignore"
        repo.write(name, data)
        shown |= {name} - hidden

    # Rules with a NUL or an invalid byte make the ignore file itself no text: git still lists it.
    unindexed = {path for path, reason in reasons(scan(repo.path)).items() if reason is not SkipReason.IGNORED}
    assert eligible(repo.path) | unindexed == shown
    assert git_shows(repo) == shown


@pytest.mark.requirement("IGN.2")
def test_trailing_spaces_count_only_when_escaped(repo: Repo) -> None:
    repo.write(".gitignore", "a\\ \nb\\  \nc \nd\t\ne\\\\ \nf \\ \n")
    for name in ("a", "a ", "b", "b ", "b  ", "c", "c ", "d", "d\t", "e\\", "e\\ ", "f", "f  "):
        repo.write(name)

    assert eligible(repo.path) == git_shows(repo)
    assert git_shows(repo) == {".gitignore", "a", "b", "b  ", "c ", "d", "e\\ ", "f"}


@pytest.mark.requirement("IGN.2")
def test_a_link_to_a_folder_is_no_folder_for_a_rule(repo: Repo) -> None:
    repo.write(".gitignore", "d/\n")
    repo.write("real/a.py")
    (repo.path / "d").symlink_to("real")

    found = scan(repo.path, DEFAULTS)
    assert [(alias.key, alias.target) for alias in found.aliases] == [("d", "real")]
    assert "d" not in reasons(found)
    assert "d" in git_shows(repo)


@pytest.mark.requirement("IGN.2")
def test_a_name_with_a_line_break_is_matched_whole(repo: Repo) -> None:
    repo.write(".gitignore", "a?b\n*.x\n")
    for name in ("a\nb", "a.x\nc", "c\na.x"):
        repo.write(name)

    assert eligible(repo.path) == git_shows(repo) == {".gitignore", "a.x\nc"}


FOLDERS = ["a", "b", "d", ".h", "foo", "fo", "é", "a b"]
FILES = ["x.py", "y.txt", "a", "b", "é.txt", "ab", "xab", "#a", "!b", "a ", "a]", "-", "1", "c", "a\\", "A"]
ATOMS = (
    FOLDERS
    + FILES
    + (
        "* ? ** *** *.py *.txt x* *a* *a*b a** **a f** *. [ab] [!a] [^]] []a] [a- [b-a] [a-c-e] [\\]a] [/] [[:alpha:]] "
        "[[:x:]] [[:upper:]] \\a \\ \\# \\! fo? [a-z]* ?.txt"
    ).split(" ")
)
parts = st.one_of(st.sampled_from(ATOMS), st.lists(st.sampled_from(ATOMS), min_size=2, max_size=2).map("".join))
lines = st.builds(
    lambda sign, lead, body, tail: sign + lead + "/".join(body) + tail,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/", "**/"]),
    st.lists(parts, min_size=1, max_size=3),
    st.sampled_from(["", "", "", "/", "/*", "/**", " ", "\\ ", "\r", "\t", "\0y"]),
)
rule_files = st.builds(
    lambda bom, body, end: (bom + "\n".join(body) + end).encode(),
    st.sampled_from(["", "", "", "\ufeff"]),
    st.lists(st.one_of(lines, st.sampled_from(["", "#", "/", "!"])), min_size=1, max_size=8),
    st.sampled_from(["\n", "\n", "", "\r\n"]),
)
file_paths = st.builds(
    lambda folders, name: "/".join([*folders, name]),
    st.lists(st.sampled_from(FOLDERS), max_size=3),
    st.sampled_from(FILES),
)


def plant(root: Path, names: list[str], rules: Mapping[str, bytes]) -> None:
    """Write what can be written: a name may already be taken by a folder or a file."""
    for name in names:
        try:
            write(root, name)
        except (FileExistsError, IsADirectoryError, NotADirectoryError):
            continue
    for folder, data in rules.items():
        if (root / folder).is_dir():
            write(root / folder, ".gitignore", data)


@pytest.mark.slow
@pytest.mark.requirement("IGN.2")
@settings(max_examples=80)
@given(
    names=st.lists(file_paths, min_size=15, max_size=40, unique=True),
    rules=st.fixed_dictionaries(
        {"": rule_files},
        optional=dict.fromkeys(("a", "b", "d", "a/b", "foo", "é", ".h", "a/b/d"), rule_files),
    ),
)
def test_random_trees_agree_with_git(names: list[str], rules: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as place:
        repo = Repo.create(Path(place) / "repo")
        plant(repo.path, names, rules)

        found = scan(repo.path)
        shown = {entry.raw for entry in found.files}
        # A rule with a NUL in it makes its file binary, which is no matter of ignoring.
        shown |= {skip.path for skip in found.skips if skip.reason is SkipReason.BINARY}
        assert shown == git_shows(repo)
        assert not any(skip.reason not in (SkipReason.IGNORED, SkipReason.BINARY) for skip in found.skips)


def hide_in_git_config(repo: Repo, home: Path) -> None:
    write(home, ".gitconfig", f"[core]\n\texcludesFile = {home / 'global-excludes'}\n")
    write(home, "global-excludes", "*.py\n")


def hide_in_xdg_ignore(repo: Repo, home: Path) -> None:
    write(home / ".config", "git/ignore", "*.py\n")


def hide_in_info_exclude(repo: Repo, home: Path) -> None:
    repo.write(".git/info/exclude", "*.py\n")


def hide_in_repository_config(repo: Repo, home: Path) -> None:
    write(home, "elsewhere", "*.py\n")
    repo.git("config", "core.excludesFile", str(home / "elsewhere"))


def hide_by_folding_case(repo: Repo, home: Path) -> None:
    repo.write(".gitignore", "*.PY\n")
    repo.git("config", "core.ignoreCase", "true")


@pytest.mark.requirement("IGN.1")
@pytest.mark.parametrize(
    "hide",
    [
        hide_in_git_config,
        hide_in_xdg_ignore,
        hide_in_info_exclude,
        hide_in_repository_config,
        hide_by_folding_case,
    ],
)
def test_settings_of_one_user_or_clone_have_no_effect(
    repo: Repo, private_home: Path, hide: Callable[[Repo, Path], None]
) -> None:
    repo.write("a.py")
    repo.write("d/b.py")
    hide(repo, private_home)

    with ChangeDetector(find_root(str(repo.path))) as detector:
        found = detector.detect().scan

    assert not {"a.py", "d/b.py"} & git_shows(repo)
    assert {"a.py", "d/b.py"} <= {entry.key for entry in found.files}
    assert not found.skips


@pytest.mark.requirement("IGN.1")
@pytest.mark.requirement("IGN.3")
def test_settings_of_one_user_are_no_part_of_the_ignore_fingerprint(repo: Repo, private_home: Path) -> None:
    repo.write(".gitignore", "x\n")
    before = scan(repo.path).ignore_fingerprint
    hide_in_git_config(repo, private_home)
    hide_in_info_exclude(repo, private_home)

    assert scan(repo.path).ignore_fingerprint == before == digest(b".gitignore\0x\n")


@pytest.mark.requirement("IGN.1")
def test_ignore_files_of_other_tools_and_rules_above_the_root_have_no_effect(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "*.py\n")
    root = tmp_path / "outer" / "root"
    for name in (".ignore", ".rgignore", ".dockerignore", ".npmignore", ".cursorignore", ".hgignore"):
        write(root, name, "*.py\n")
    write(root, "a.py")

    assert "a.py" in eligible(root)


@pytest.mark.requirement("IGN.1")
def test_a_tracked_file_is_ignored_like_any_other(repo: Repo) -> None:
    repo.write("a.log")
    repo.write("b.py")
    repo.commit()
    repo.write(".gitignore", "*.log\n")

    assert eligible(repo.path) == {".gitignore", "b.py"}


@pytest.mark.requirement("IGN.1")
def test_rules_hold_in_a_folder_without_git(folder: Path) -> None:
    write(folder, ".gitignore", "*.log\n")
    write(folder, "a.log")
    write(folder, "a.py")

    assert eligible(folder) == {".gitignore", "a.py"}


@pytest.mark.requirement("IGN.1")
def test_the_root_cairnignore_has_the_last_word(folder: Path) -> None:
    write(folder, ".gitignore", "*.log\nbuild/\n")
    write(folder, "d/.gitignore", "!c.txt\n")
    write(folder, ".cairnignore", "!kept.log\n!build/\nc.txt\n/gen/\n")
    for name in ("a.log", "kept.log", "build/b.py", "d/c.txt", "gen/g.py", "d/gen/g.py"):
        write(folder, name)

    assert eligible(folder) == {
        ".cairnignore", ".gitignore", "build/b.py", "d/.gitignore", "d/gen/g.py", "kept.log",
    }  # fmt: skip


@pytest.mark.requirement("IGN.1")
def test_a_cairnignore_below_the_root_is_an_ordinary_file(folder: Path) -> None:
    write(folder, ".gitignore", "*.log\n")
    write(folder, "d/.cairnignore", "*.py\n!*.log\n")
    write(folder, "d/a.py")
    write(folder, "d/a.log")

    found = scan(folder)
    assert {entry.key for entry in found.files} == {".gitignore", "d/.cairnignore", "d/a.py"}
    assert found.ignore_fingerprint == digest(b".gitignore\0*.log\n")


@pytest.mark.requirement("IGN.1")
def test_cairnignore_takes_nothing_back_from_below_a_hidden_folder(folder: Path) -> None:
    write(folder, ".gitignore", "d/\n")
    write(folder, ".cairnignore", "!d/a.py\n")
    write(folder, "d/a.py")

    assert reasons(scan(folder)) == {"d/": SkipReason.IGNORED}


@pytest.mark.requirement("IGN.1")
def test_only_a_negation_in_cairnignore_takes_in_a_secret(folder: Path) -> None:
    for name in (".env", "d/.env", "server.pem", "d/id_rsa"):
        write(folder, name)
    write(folder, ".gitignore", "!.env\n!*.pem\n")
    assert reasons(scan(folder)) == dict.fromkeys((".env", "d/.env", "server.pem", "d/id_rsa"), SkipReason.SECRET)

    write(folder, ".cairnignore", "!/.env\n!*.pem\n")
    assert {".env", "server.pem"} <= eligible(folder)
    assert reasons(scan(folder)) == dict.fromkeys(("d/.env", "d/id_rsa"), SkipReason.SECRET)


@pytest.mark.requirement("IGN.1")
def test_taking_back_a_folder_takes_in_no_secret_beneath_it(folder: Path) -> None:
    write(folder, ".gitignore", "d/\n")
    write(folder, ".cairnignore", "!d/\n")
    write(folder, "d/a.py")
    write(folder, "d/.env")

    assert "d/a.py" in eligible(folder)
    assert reasons(scan(folder)) == {"d/.env": SkipReason.SECRET}


@pytest.mark.requirement("CFG.1")
def test_exclude_only_takes_away_and_no_negation_undoes_it(folder: Path) -> None:
    settings_ = IndexSettings(exclude=("*.gen.py", "/vendor/", "docs/**/old"))
    write(folder, ".gitignore", "!*.gen.py\n!vendor/\n*.log\n")
    write(folder, ".cairnignore", "!*.gen.py\n!/vendor/\n!old\n")
    for name in ("a.gen.py", "vendor/v.py", "d/vendor/v.py", "docs/x/old/o.md", "docs/new/n.md", "a.log", "a.py"):
        write(folder, name)

    assert eligible(folder, settings_) == {
        ".cairnignore", ".gitignore", "a.py", "d/vendor/v.py", "docs/new/n.md",
    }  # fmt: skip
    found = scan(folder, settings_)
    assert reasons(found)["vendor/"] is SkipReason.IGNORED
    assert {skip.detail for skip in found.skips} >= {".cairn.toml: *.gen.py", ".gitignore:3: *.log"}


@pytest.mark.requirement("CFG.1")
def test_exclude_can_not_smuggle_in_a_negation(folder: Path) -> None:
    with pytest.raises(ConfigError, match="exclude"):
        parse_config(b'[index]\nexclude = ["!*.py"]\n')
    # Behind a byte order mark the pattern reads as a negation: it still only takes away.
    excludes = excludes_from(("\ufeff!a.py",))
    chain = RuleChain(excludes=excludes).under(parse_ignore("", ".gitignore", b"b.py\n"))
    assert chain.decide(b"a.py", b"a.py", False).ignored
    assert chain.decide(b"b.py", b"b.py", False).ignored


@pytest.mark.requirement("CFG.1")
def test_include_admits_media_names_but_nothing_that_is_ignored_or_secret(folder: Path) -> None:
    for name in ("a.db", "d/b.db", "x.png", "c.pem", "hidden.db"):
        write(folder, name)
    write(folder, ".gitignore", "hidden.db\n")
    settings_ = IndexSettings(include=("*.db", "*.pem"))

    assert reasons(scan(folder))["a.db"] is SkipReason.UNSUPPORTED
    assert eligible(folder, settings_) == {".gitignore", "a.db", "d/b.db"}
    assert reasons(scan(folder, settings_)) == {
        "x.png": SkipReason.UNSUPPORTED, "c.pem": SkipReason.SECRET, "hidden.db": SkipReason.IGNORED,
    }  # fmt: skip


def test_a_skip_names_the_file_and_line_that_decided(folder: Path) -> None:
    write(folder, ".gitignore", "# logs\n*.log\n")
    write(folder, "d/.gitignore", "\n/e/\n")
    write(folder, ".cairnignore", "b.py\n")
    for name in ("a.log", "d/e/a.py", "b.py"):
        write(folder, name)

    assert {skip.path: skip.detail for skip in scan(folder).skips} == {
        "a.log": ".gitignore:2: *.log",
        "d/e/": "d/.gitignore:2: /e/",
        "b.py": ".cairnignore:1: b.py",
    }


@pytest.mark.requirement("IGN.3")
def test_the_fingerprint_hashes_keys_and_bytes_in_byte_order(folder: Path) -> None:
    rules = {
        "é/.gitignore": b"e\n",
        "b/.gitignore": b"\xff\0binary\r\n",
        "b-c/.gitignore": b"",
        ".gitignore": b"root\n",
        "Z/.gitignore": b"z\n",
        ".cairnignore": b"cairn",
        "\U0001f600/.gitignore": b"smile",
        "\uff41/.gitignore": b"wide",
    }
    for name, data in rules.items():
        write(folder, name, data)

    assert scan(folder).ignore_fingerprint == digest(
        b".cairnignore\0cairn",
        b".gitignore\0root\n",
        b"Z/.gitignore\0z\n",
        b"b-c/.gitignore\0",
        b"b/.gitignore\0\xff\0binary\r\n",
        b"\xc3\xa9/.gitignore\0e\n",
        b"\xef\xbd\x81/.gitignore\0wide",
        b"\xf0\x9f\x98\x80/.gitignore\0smile",
    )


@pytest.mark.requirement("IGN.3")
def test_the_fingerprint_uses_the_key_and_not_the_spelling_on_disk(folder: Path) -> None:
    write(folder, "e\u0301/.gitignore", "x\n")

    assert scan(folder).ignore_fingerprint == digest(b"\xc3\xa9/.gitignore\0x\n")


@pytest.mark.requirement("IGN.3")
def test_only_files_that_have_a_say_count_in_the_fingerprint(repo: Repo) -> None:
    repo.write(".gitignore", "out/\n")
    repo.write("out/.gitignore", "x\n")
    repo.write("d/.cairnignore", "x\n")
    repo.write("d/.ignore", "x\n")
    Repo.create(repo.path / "nested").write(".gitignore", "x\n")
    (repo.path / "linked").mkdir()
    (repo.path / "linked" / ".gitignore").symlink_to("../d/.cairnignore")

    assert scan(repo.path).ignore_fingerprint == digest(b".gitignore\0out/\n")


@pytest.mark.requirement("IGN.3")
def test_a_tree_without_ignore_files_has_the_fingerprint_of_nothing(folder: Path) -> None:
    write(folder, "a.py")
    assert scan(folder).ignore_fingerprint == FINGERPRINT_OF_NOTHING

    write(folder, ".cairnignore", "")
    assert scan(folder).ignore_fingerprint == digest(b".cairnignore\0")


@pytest.mark.requirement("IGN.3")
def test_the_fingerprint_comes_from_the_bytes_that_the_matcher_used(folder: Path) -> None:
    write(folder, ".gitignore", "*.log\n")
    write(folder, "d/a.log")
    write(folder, "d/a.txt")

    def rewrite(_: int) -> None:
        write(folder, ".gitignore", "*.txt\n")

    with scanner(folder) as scans:
        during = scans.scan(progress=rewrite)
        after = scans.scan()

    assert "d/a.txt" in during.hashes()
    assert "d/a.log" not in during.hashes()
    assert during.ignore_fingerprint == digest(b".gitignore\0*.log\n")
    assert "d/a.log" in after.hashes()
    assert after.ignore_fingerprint == digest(b".gitignore\0*.txt\n")


@pytest.mark.slow
@pytest.mark.requirement("IGN.3")
@pytest.mark.parametrize("name", [".gitignore", "d/.gitignore", ".cairnignore"])
def test_a_kept_scanner_sees_every_edit_of_an_ignore_file(folder: Path, name: str) -> None:
    write(folder, "d/e/a.py")
    write(folder, "d/e/b.py")
    with scanner(folder) as scans:
        seen = [warm(scans)]
        for content in ("a.py\n", "b.py\n", ""):
            path = write(folder, name, content)
            # The time stamp that a careful writer would put back hides nothing.
            os.utime(path, ns=(0, 0))
            seen.append(warm(scans))
        path.unlink()
        seen.append(warm(scans))

    shown = [{key for key in found.hashes() if key.endswith(".py")} for found in seen]
    both = {"d/e/a.py", "d/e/b.py"}
    assert shown == [both, {"d/e/b.py"}, {"d/e/a.py"}, both, both]
    key = name.encode() + b"\0"
    assert [found.ignore_fingerprint for found in seen] == [
        FINGERPRINT_OF_NOTHING,
        digest(key, b"a.py\n"),
        digest(key, b"b.py\n"),
        digest(key),
        FINGERPRINT_OF_NOTHING,
    ]


MATCHING_LIBRARIES = {"fnmatch", "glob", "pathspec", "gitignore_parser", "igittigitt", "wcmatch"}
MATCHING_CALLS = {"glob", "rglob", "iglob", "fnmatch", "fnmatchcase", "full_match"}
WALKING_CALLS = {"walk", "fwalk", "listdir", "scandir", "iterdir"}
GIT_MATCHING = {"check-ignore", "--exclude-standard", "--exclude-from", "--exclude-per-directory"}
ALLOWED = {
    # The members of a workspace and the paths of a query are named by patterns too, which decide nothing about what
    # is indexed.
    "cairn.workspace.wildmatch": {
        "cairn/codebase/insight.py",
        "cairn/codebase/wholes.py",
        "cairn/graph/cycles.py",
        "cairn/graph/wanted.py",
        "cairn/questions/common.py",
        "cairn/questions/narrowing.py",
        "cairn/questions/search.py",
        "cairn/search/filters.py",
        "cairn/workspace/leftout.py",
        "cairn/workspace/ignore.py",
        "cairn/workspace/wildmatch.py",
        "cairn/semantic/contexts/discover.py",
    },
    "cairn.workspace.ignore": {
        "cairn/workspace/committed.py",
        "cairn/workspace/gathered.py",
        "cairn/workspace/listing.py",
        "cairn/workspace/newfiles.py",
        "cairn/workspace/rulefiles.py",
        "cairn/workspace/scan.py",
        "cairn/workspace/secrets.py",
    },
    # A file of the snapshot is looked for in its folder: nothing is taken in that the snapshot lacks.
    # So are the other names of a secret, and git's own files. Blocks that are kept lie in a folder of Cairn's own.
    "scandir": {
        "cairn/team/tables.py",
        "cairn/workspace/lastlook.py",
        "cairn/workspace/listing.py",
        "cairn/workspace/livefiles.py",
        "cairn/workspace/secrets.py",
    },
    # What the rules left out is counted, and nothing of it taken in; git's refs are no part of a tree.
    # What a team shares lies in folders of Cairn's own.
    "walk": {
        "cairn/team/parts.py",
        "cairn/team/remote.py",
        "cairn/workspace/gitfolders.py",
        "cairn/workspace/leftout.py",
    },
    # What git has not seen yet is told beside what differs; whether it may be read is decided by the one rule.
    "--exclude-standard": {"cairn/workspace/git.py"},
    # A dot before a member is no hidden file.
    "hidden names": {"cairn/edit/gate/account.py"},
    # The web page's own files, which are part of the package.
    "iterdir": {"cairn/surfaces/page/routes.py"},
    # The count of answers, a file a day in Cairn's own home.
    # What somebody mistyped is looked for beside it: nothing is taken in.
    "listdir": {"cairn/codebase/ledger.py", "cairn/workspace/meant.py"},
}


# What these list lies beneath CAIRN_HOME and is no part of a tree.
OWN_FOLDERS = (
    "cairn/base/durable.py",
    "cairn/base/ownfile.py",
    "cairn/edit/journal.py",
    "cairn/store/",
    "cairn/engines/",
    "cairn/embed/",
    "cairn/lifecycle/",
    "cairn/readcache/",
    "cairn/surfaces/cli/lastlist.py",
)


NO_FILES = (
    "cairn/edit/moving/bringing.py",
    "cairn/edit/moving/mending.py",
    "cairn/edit/moving/whereabouts.py",
    "cairn/edit/source/modulenames.py",
    "cairn/edit/moving/transfer.py",
    "cairn/graph/overview.py",
    "cairn/graph/scopes.py",
    "cairn/languages/",
    "cairn/surfaces/cli/manual.py",
    "cairn/syntax/",
)
"""What gets texts and paths from a snapshot and sees no tree of files."""
NAME_PATTERNS = frozenset(
    {f"cairn/edit/{name}.py" for name in ("gate/listed", "gate/outside", "gate/possible", "signature/draft")}
)
"""What matches names of a program against the patterns of a table."""


def second_matchers(code: str, name: str) -> list[str]:
    """Everything in a module that decides on paths beside the one matcher."""
    allowed = {found for found, names in ALLOWED.items() if name in names}
    if name.startswith(OWN_FOLDERS):
        allowed |= WALKING_CALLS
    if name in NAME_PATTERNS:
        allowed |= {"fnmatch", "fnmatch.fnmatchcase"}
    if name.startswith(NO_FILES):
        # A dot before an import, a member or a node is no hidden file, and what is walked is a syntax tree.
        allowed |= {"hidden names", "walk"}
    return [found for node in ast.walk(ast.parse(code)) for found in _matchers(node) if found not in allowed]


def _matchers(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if _is_matcher(alias.name))
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        yield from (found for found in names if _is_matcher(found))
        if module == "os":
            yield from (alias.name for alias in node.names if alias.name in WALKING_CALLS)
    elif isinstance(node, ast.Attribute):
        if node.attr in MATCHING_CALLS | WALKING_CALLS and not _is_syntax_tree(node.value):
            yield node.attr
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("startswith", "removeprefix"):
            if any(_says(argument, ".") for argument in node.args):
                yield "hidden names"
    elif isinstance(node, ast.Compare):
        if isinstance(node.left, ast.Subscript) and any(_says(value, ".") for value in node.comparators):
            yield "hidden names"
    elif isinstance(node, ast.Constant) and node.value in GIT_MATCHING:
        yield str(node.value)


def _is_matcher(module: str) -> bool:
    return module.split(".")[0] in MATCHING_LIBRARIES or module in ALLOWED


def _is_syntax_tree(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "ast"


def _says(node: ast.expr, text: str) -> bool:
    values = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return any(isinstance(value, ast.Constant) and value.value in (text, text.encode()) for value in values)


@pytest.mark.slow
@pytest.mark.requirement("IGN.4")
def test_no_module_has_a_matcher_or_a_walk_of_its_own() -> None:
    modules = sorted(SOURCE.rglob("*.py"))
    assert len(modules) > 20
    found = {
        name: second
        for path in modules
        if (second := second_matchers(path.read_text(), name := path.relative_to(SOURCE.parent).as_posix()))
    }

    assert not found


@pytest.mark.requirement("IGN.4")
@pytest.mark.parametrize(
    "code",
    [
        "import fnmatch",
        "from fnmatch import fnmatchcase as matches",
        "import glob",
        "from pathspec import GitIgnoreSpec",
        "from cairn.workspace.wildmatch import translate",
        "from cairn.workspace import wildmatch",
        "from cairn.workspace.ignore import RuleChain",
        "files = root.rglob('*')",
        "import os\nfor entry in os.walk(root): pass",
        "from os import scandir",
        "names = [n for n in names if not n.startswith('.')]",
        "names = [n for n in names if not n.startswith(('.', '_'))]",
        "hidden = name[0] == '.'",
        "hidden = name[:1] in ('.', '_')",
        "git.run('ls-files', '-o', '--exclude-standard')",
    ],
)
def test_a_second_matcher_would_be_noticed(code: str) -> None:
    assert second_matchers(code, "cairn/graph/collect.py")


@pytest.mark.requirement("IGN.4")
def test_no_name_is_hidden_unless_a_rule_hides_it(repo: Repo) -> None:
    names = {
        ".github/workflows/ci.yml", ".hidden/a.py", "..a/b.py", ".abc", "node_modules/m/index.js", "__pycache__/a.py",
        "build/a.py", "dist/a.js", "target/a.rs", "vendor/a.go", "venv/a.py", ".venv/a.py", ".tox/a.py", "a~", "#a#",
        "d/.git.d/x.py", ".gitx",
    }  # fmt: skip
    for name in names:
        repo.write(name)

    assert eligible(repo.path) == names == git_shows(repo)


def test_too_large_an_ignore_file_stops_the_scan(folder: Path) -> None:
    path = write(folder, ".gitignore", b"#" * MAX_IGNORE_BYTES)
    assert ".gitignore" in eligible(folder)

    path.write_bytes(b"#" * (MAX_IGNORE_BYTES + 1))
    with pytest.raises(IgnoreFileError, match=r"'\.gitignore' is larger than 1048576 bytes") as caught:
        scan(folder)
    assert (caught.value.code, caught.value.exit_code) == ("ignore_file_invalid", ExitCode.REFUSED)
    assert "Shorten the file" in caught.value.hint


def test_too_large_a_cairnignore_stops_the_scan(folder: Path) -> None:
    write(folder, ".cairnignore", b"#" * (MAX_IGNORE_BYTES + 1))

    with pytest.raises(IgnoreFileError, match="cairnignore"):
        scan(folder)


def test_too_many_rules_stop_the_scan(folder: Path) -> None:
    path = write(folder, "d/.gitignore", "x\n" * MAX_RULES + "# comments are free\n" * 10)
    assert "d/.gitignore" in eligible(folder)

    path.write_text("x\n" * (MAX_RULES + 1))
    with pytest.raises(IgnoreFileError, match=r"'d/\.gitignore' has 10001 rules; at most 10000 are read") as caught:
        scan(folder)
    assert caught.value.code == "ignore_file_invalid"
    assert "Shorten the file" in caught.value.hint


def test_bytes_that_are_too_many_are_refused_by_the_parser_itself() -> None:
    with pytest.raises(IgnoreFileError, match="at most 1048576 are read"):
        parse_ignore("d", ".gitignore", b"#" * (MAX_IGNORE_BYTES + 1))


_SCAN_WITHOUT_RIGHTS = """
import json, os, sys
from cairn.config.project import IndexSettings
from cairn.base.errors import CairnError
from cairn.workspace.beneath import Beneath
from cairn.workspace.scan import Scanner
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with Beneath(sys.argv[1]) as tree:
        found = Scanner(tree, IndexSettings()).scan()
    print(json.dumps({"files": [entry.key for entry in found.files]}))
except CairnError as error:
    print(json.dumps(error.envelope()))
"""


@pytest.mark.parametrize("name", [".gitignore", "d/.gitignore", ".cairnignore"])
def test_an_unreadable_ignore_file_stops_the_scan(name: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        path = write(root, name, "secret.txt\n")
        write(root, "d/secret.txt")
        root.chmod(0o755)
        path.chmod(0)
        done = subprocess.run(
            (sys.executable, "-c", _SCAN_WITHOUT_RIGHTS, str(root)), capture_output=True, text=True, check=True
        )

    assert '"code": "ignore_file_invalid"' in done.stdout
    assert f"'{name}' can't be read: Permission denied." in done.stdout
    assert "nothing is indexed until the file can be read" in done.stdout


def test_an_ignore_file_that_is_a_folder_has_no_rules(repo: Repo) -> None:
    repo.write(".gitignore/a.py")
    repo.write("b.py")

    found = scan(repo.path)
    assert {entry.key for entry in found.files} == git_shows(repo) == {".gitignore/a.py", "b.py"}
    assert found.ignore_fingerprint == FINGERPRINT_OF_NOTHING
    assert found.notes == (Note("rules_unread", {"path": ".gitignore"}),)


@pytest.mark.parametrize("target", ["rules.txt", "/etc/hostname", "nowhere"])
def test_an_ignore_file_that_is_a_link_has_no_rules(repo: Repo, target: str) -> None:
    repo.write("rules.txt", "*.py\n")
    repo.write("b.py")
    (repo.path / ".gitignore").symlink_to(target)

    found = scan(repo.path)
    assert "b.py" in {entry.key for entry in found.files}
    assert "b.py" in git_shows(repo)
    assert found.ignore_fingerprint == FINGERPRINT_OF_NOTHING
    assert found.notes == (Note("rules_unread", {"path": ".gitignore"}),)


def test_a_cairnignore_that_is_a_link_or_a_folder_has_no_rules(folder: Path) -> None:
    write(folder, "rules.txt", "*.py\n")
    write(folder, "b.py")
    link = folder / ".cairnignore"
    link.symlink_to("rules.txt")
    assert "b.py" in eligible(folder)
    link.unlink()
    link.mkdir()

    assert "b.py" in eligible(folder)
    assert scan(folder).notes == (Note("rules_unread", {"path": ".cairnignore"}),)


def test_an_ignore_file_that_is_a_pipe_does_not_hang(folder: Path) -> None:
    os.mkfifo(folder / ".gitignore")
    write(folder, "a.py")

    found = scan(folder)
    assert {entry.key for entry in found.files} == {"a.py"}
    assert reasons(found) == {".gitignore": SkipReason.SPECIAL_FILE}


@pytest.mark.requirement("IGN.2")
def test_a_binary_ignore_file_is_read_as_git_reads_it(repo: Repo) -> None:
    noise = bytes(range(256)) * 8
    repo.write(".gitignore", noise + b"\n*.log\n\xfe\xff\0\n" + noise)
    for name in ("a.log", "a.py", "b", "\x01", "+,-.", "é"):
        repo.write(name)

    found = scan(repo.path)
    assert {entry.key for entry in found.files} | {".gitignore"} == git_shows(repo)
    assert "a.log" not in git_shows(repo)
    assert reasons(found)[".gitignore"] is SkipReason.BINARY


@pytest.mark.requirement("IGN.1")
def test_outer_rules_do_not_reach_into_a_nested_repository(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n")
    repo.write(".cairnignore", "b.py\n")
    nested = Repo.create(repo.path / "nested")
    for name in ("a.log", "b.py", "c.txt", "d.py"):
        nested.write(name)
    nested.write(".gitignore", "c.txt\n")

    shown = eligible(repo.path, IndexSettings(submodules=True))
    assert {name for name in shown if name.startswith("nested/")} == {
        "nested/.gitignore",
        "nested/a.log",
        "nested/d.py",
    }


def test_the_modes_of_an_ignore_file_do_not_matter(folder: Path) -> None:
    path = write(folder, ".gitignore", "*.log\n")
    write(folder, "a.log")
    path.chmod(stat.S_IRUSR | stat.S_IXUSR)

    assert eligible(folder) == {".gitignore"}
