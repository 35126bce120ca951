import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.workspace.ignore import RuleChain, parse_ignore
from cairn.workspace.wildmatch import literal_prefix, translate
from tests.trees import Repo

CLASSES = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split()
BYTES = [bytes([number]) for number in range(1, 256) if number not in b"/."]


def git_hides(repo: Repo, paths: Iterable[bytes]) -> set[bytes]:
    """What git ignores; the paths need not exist, and then none of them is a folder."""
    done = subprocess.run(
        ("git", "-C", str(repo.path), "check-ignore", "--no-index", "-z", "--stdin"),
        input=b"".join(path + b"\0" for path in paths),
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.split(b"\0")) - {b""}


def cairn_hides(rules: bytes, paths: Iterable[bytes]) -> set[bytes]:
    chain = RuleChain().under(parse_ignore("", ".gitignore", rules))
    return {path for path in paths if _hidden(chain, path)}


def _hidden(chain: RuleChain, path: bytes) -> bool:
    parts = path.split(b"/")
    return any(
        chain.decide(parts[depth], b"/".join(parts[: depth + 1]), depth + 1 < len(parts)).ignored
        for depth in range(len(parts))
    )


def by_folder(repo: Repo, rules: Mapping[str, bytes], paths: Sequence[bytes]) -> tuple[set[bytes], set[bytes]]:
    """(git, cairn) over one set of paths below many folders, each with rules of its own."""
    for folder, data in rules.items():
        repo.write(f"{folder}/.gitignore", data)
    asked = {folder: [folder.encode() + b"/" + path for path in paths] for folder in rules}
    git = git_hides(repo, (path for group in asked.values() for path in group))
    cairn = {folder.encode() + b"/" + path for folder, data in rules.items() for path in cairn_hides(data, paths)}
    return git, cairn


PATTERNS: list[tuple[str, str, str]] = [
    ("foo", "foo a/foo foo/x", "food Foo oo"),
    ("*", "a .a a/b", ""),
    ("?", "a", "ab é"),
    ("??", "ab é", "a abc"),
    ("*.py", "a.py .py d/a.py", "a.pyc py"),
    ("a*b", "ab axb a.b", "a/b abc"),
    ("*a*b*", "ab xaxbx", "ba"),
    ("a**b", "ab axxb", "a/b"),
    ("**", "a a/b", ""),
    ("***", "a a/b", ""),
    ("/foo", "foo foo/x", "a/foo"),
    ("a/b", "a/b a/b/c", "x/a/b b"),
    ("a/*", "a/b a/b/c a/.x", "a b/a"),
    ("a/*/c", "a/b/c", "a/c a/b/b/c"),
    ("a*/c", "a/c ax/c", "a/b/c"),
    ("**/foo", "foo a/foo a/b/foo", "afoo"),
    ("foo/**", "foo/a foo/a/b", "foo a/foo/b"),
    ("a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb x/a/b"),
    ("a/**/**/b", "a/b a/x/b", "ab"),
    ("**/a/**/b", "a/b x/a/b x/a/y/b", "a"),
    ("**/*.py", "a.py x/a.py", "py"),
    ("**a", "a xa x/a", "ax"),
    ("a/**b", "a/b a/xb", "a/x/b"),
    ("a/b**", "a/b a/bc a/b/c", "a/cb"),
    ("foo**/bar", "foobar foox/bar foo/bar foo/x/bar", "xfoo/bar"),
    ("f[o]o**/bar", "foo/bar foox/bar", "foobar foo/x/bar"),
    ("/foo**", "foo foox foo/x", "xfoo"),
    ("**\\/b", "a/b x/y/b", "b"),
    ("x/**\\/b", "x/a/b", "x/b"),
    ("[ab]", "a b", "c ab"),
    ("[!ab]", "c", "a b"),
    ("[^ab]", "c", "a b"),
    ("[a-c]", "a b c", "d -"),
    ("[c-a]", "c", "a b"),
    ("[a-c-e]", "a - e", "d"),
    ("[]]", "]", "[ a"),
    ("[]a]", "] a", "["),
    ("[!]a]", "b [", "] a"),
    ("[a-]", "a -", "b"),
    ("[-a]", "- a", "b"),
    ("[\\]a]", "] a", "\\"),
    ("[a\\-c]", "a - c", "b"),
    ("[\\a-c]", "a b c", "\\"),
    ("[a-\\c]", "a b c", "\\"),
    ("[[]", "[", "]"),
    ("[[:digit:]a]", "1 a", "b :"),
    ("[[:digit:]-z]", "1 - z", "a"),
    ("[![:digit:]]", "a", "1"),
    ("[[:digit]", "[ x/: d t", "1"),
    ("[[:]", "[ x/:", "d"),
    ("[[::]", "", "[ x/: d"),
    ("[[:nope:]]", "", "n [[:nope:]]"),
    ("[", "", "["),
    ("[a", "", "[a a"),
    ("[a-", "", "[a- a"),
    ("[]", "", "[] ]"),
    ("[!]", "", "[!] !"),
    ("[/]", "", "x"),
    ("a[/]b", "", "a/b"),
    ("a[!x]b", "ayb", "a/b axb"),
    ("a?b/c", "axb/c", "a/b/c"),
    ("\\a", "a", "\\a"),
    ("\\*", "*", "a"),
    ("\\?", "?", "a"),
    ("\\[a]", "[a]", "a"),
    ("\\\\", "\\", "a"),
    ("a\\", "", "a a\\"),
    ("a\\/b", "a/b", "ab"),
    ("\\#a", "#a", "a"),
    ("#a", "", "#a a"),
    ("\\!a", "!a", "a"),
    ("a.c", "a.c", "abc"),
    ("(a|b)+$^{}", "(a|b)+$^{}", "a"),
    ("{a,b}", "{a,b}", "a b"),
    ("é", "é", "e e\u0301"),
    ("*é*", "é xéx", "e"),
    ("[é]", "", "é e"),
    ("foo//", "", "foo foo/x foox"),
    ("/", "", "a a/b"),
    ("//", "", "a a/b"),
    ("!", "", "a !"),
    ("foo/", "foo/x a/foo/x", "foo food/x"),
    ("/foo/", "foo/x", "foo a/foo/x foobar/x"),
    ("a/foo/", "a/foo/x", "a/foo a/foobar/x"),
    ("./a", "", "a"),
    ("a/./b", "", "a/b"),
    ("a/../b", "", "b"),
]


@pytest.mark.requirement("IGN.2")
@pytest.mark.parametrize(("pattern", "hidden", "shown"), PATTERNS, ids=[row[0] for row in PATTERNS])
def test_a_pattern_hides_what_git_hides(repo: Repo, pattern: str, hidden: str, shown: str) -> None:
    paths = [path.encode() for path in (hidden + " " + shown).split()]
    rules = pattern.encode() + b"\n"
    repo.write(".gitignore", rules)

    assert cairn_hides(rules, paths) == set(hidden.encode().split())
    assert git_hides(repo, paths) == set(hidden.encode().split())


@pytest.mark.requirement("IGN.2")
@pytest.mark.parametrize("name", CLASSES)
def test_a_character_class_holds_the_bytes_that_git_holds(repo: Repo, name: str) -> None:
    rules = {"plain": f"[[:{name}:]]\n".encode(), "negated": f"[^[:{name}:]]\n".encode()}
    git, cairn = by_folder(repo, rules, BYTES)

    assert cairn == git
    assert 0 < len(git) < 2 * len(BYTES)


@pytest.mark.slow
@pytest.mark.requirement("IGN.2")
def test_every_byte_stands_for_itself_when_escaped_or_in_brackets(repo: Repo) -> None:
    rules = {f"e{byte[0]}": b"\\" + byte + b"\n" for byte in BYTES if byte != b"\n"}
    rules |= {f"b{byte[0]}": b"[\\" + byte + b"]\n" for byte in BYTES if byte != b"\n"}
    git, cairn = by_folder(repo, rules, BYTES)

    assert cairn == git
    # A carriage return at the end of a line belongs to the line break, so its escape is a lone backslash.
    assert git == {f"{kind}{byte[0]}/".encode() + byte for kind in "eb" for byte in BYTES if byte != b"\n"} - {
        b"e13/\r"
    }


@pytest.mark.requirement("IGN.2")
def test_wildcards_cross_line_breaks_in_names(repo: Repo) -> None:
    paths = [b"a\nb", b"a\n/x\n"]
    rules = {"one": b"a?b\n", "star": b"a*\n", "deep": b"/**/x*\n", "not": b"*[!\\x]\n"}
    git, cairn = by_folder(repo, rules, paths)

    assert cairn == git
    assert {b"one/a\nb", b"star/a\nb", b"star/a\n/x\n", b"deep/a\n/x\n"} <= git


@pytest.mark.requirement("IGN.2")
def test_a_pattern_that_git_gives_up_on_matches_nothing() -> None:
    for pattern in (b"[", b"[a", b"[!", b"[]", b"[a-", b"[\\", b"[[:", b"[[:x:]]", b"a\\", b"*[", b"**/["):
        assert translate(pattern) is None, pattern


def test_the_literal_prefix_ends_at_the_first_wildcard() -> None:
    assert [literal_prefix(pattern) for pattern in (b"abc", b"a*", b"ab?", b"[a]", b"a\\b", b"")] == [3, 1, 2, 0, 1, 0]


ATOMS = (
    "a b d x.py *.py foo f fo .h é ? * ** *** ?.txt x* *a* *a*b a** **a f** *. [ab] [!a] [^]] []a] [a- [b-a] [a-c-e] "
    "[\\]a] [/] [ [[:alpha:]] [[:x:]] [[:digit:]a] [[:space:]] [[: \\a \\ \\\\ \\* \\/ # ! -"
).split(" ")
NAMES = "a b d foo fo x.py y.txt .h é ab xab #a !b a] - 1 c \\ [ * a* ] aab".split(" ")

patterns = st.builds(
    lambda lead, parts, tail: lead + "/".join(parts) + tail,
    st.sampled_from(["", "", "", "/", "**/"]),
    st.lists(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=3).map("".join), min_size=1, max_size=4),
    st.sampled_from(["", "", "", "/", "/**", " ", "\\ ", "\t", "\r", "\0x"]),
)
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)


@pytest.mark.slow
@pytest.mark.requirement("IGN.2")
@settings(max_examples=25)
@given(
    lines=st.lists(st.lists(patterns, min_size=1, max_size=2), min_size=20, max_size=40),
    asked=st.lists(paths, min_size=20, max_size=40, unique=True),
)
def test_random_patterns_agree_with_git(lines: list[list[str]], asked: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        repo = Repo.create(Path(place) / "repo")
        rules = {f"r{number}": "\n".join(group).encode() for number, group in enumerate(lines)}
        git, cairn = by_folder(repo, rules, [path.encode() for path in asked])

        surplus, missing = cairn - git, git - cairn
        blamed = {rules[path.split(b"/", 1)[0].decode()]: path for path in surplus | missing}
        assert not blamed


@pytest.mark.parametrize("pattern", [b"[!a]", b"[^\\]]", b"[[:alpha:]]", b"[![:space:]]", b"*a", b"**/", b"?", b"\\."])
def test_a_translation_grows_no_faster_than_its_pattern(pattern: bytes) -> None:
    regex = translate(pattern * 1000)

    assert regex is not None
    assert len(regex) <= 20 * len(pattern * 1000)


_HOSTILE = """
import sys
from cairn.workspace.ignore import parse_ignore
rules = parse_ignore("", ".gitignore", eval(sys.argv[1]))
name, path = eval(sys.argv[2]), eval(sys.argv[3])
print(rules.decide(name, path, False) is not None)
"""


@pytest.mark.slow
@pytest.mark.requirement("IGN.2")
@pytest.mark.parametrize(
    ("rules", "name", "path", "hidden"),
    [
        ("b'*a' * 60 + b'*b'", "b'a' * 250", "b'a' * 250", False),
        ("b'*a' * 60 + b'*b'", "b'a' * 250 + b'b'", "b'a' * 250 + b'b'", True),
        ("b'/**/' + b'*a' * 60 + b'*b'", "b'a' * 250", "(b'a' * 250 + b'/') * 15 + b'a'", False),
        ("b'**/' * 200 + b'b'", "b'c'", "b'a/' * 2000 + b'c'", False),
        ("b'**/a/' * 100 + b'b'", "b'c'", "b'a/' * 2000 + b'c'", False),
        ("b'**/a*/' * 100 + b'b'", "b'b'", "b'aa/' * 1300 + b'b'", True),
        ("b'**/*a*a*a*/' * 30 + b'b'", "b'c'", "b'aaaaaaa/' * 500 + b'c'", False),
        ("b'*?' * 100 + b'b'", "b'a' * 250", "b'a' * 250", False),
        ("b'*[ab]' * 100 + b'c'", "b'a' * 250", "b'a' * 250", False),
        ("b'[!a]' * 100_000", "b'b' * 250", "b'b' * 250", False),
        ("b'*a' * 300_000", "b'a' * 250", "b'a' * 250", False),
    ],
)
def test_a_hostile_pattern_ends(rules: str, name: str, path: str, hidden: bool) -> None:
    done = subprocess.run(
        (sys.executable, "-c", _HOSTILE, rules, name, path), capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.stdout.strip(), done.stderr) == (str(hidden), "")
