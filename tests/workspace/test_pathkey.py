import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import CollisionError, ExitCode, PathKeyError
from cairn.config.project import IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.eligibility import SkipReason
from cairn.workspace.entries import TreeScan, blocking_collisions, require_no_collisions
from cairn.workspace.pathkey import Collision, display, find_collisions, fold, is_text, nfc, path_key
from cairn.workspace.scan import Scanner
from tests.trees import cairn, write

NFC_NAME, NFD_NAME = "caf\u00e9.py", "cafe\u0301.py"
ALLOW = IndexSettings(case_collisions="allow")


def scan(root: Path) -> TreeScan:
    with Beneath(str(root)) as tree:
        return Scanner(tree, IndexSettings()).scan()


@pytest.mark.requirement("PATH.1")
@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("a.py", "a.py"),
        ("d/e/a.py", "d/e/a.py"),
        ("./a.py", "a.py"),
        ("././d/./a.py", "d/a.py"),
        ("d//a.py", "d/a.py"),
        ("d/", "d"),
        ("d/e///", "d/e"),
        (".hidden", ".hidden"),
        ("...", "..."),
        ("..a/b..", "..a/b.."),
        (" a ", " a "),
        ("a\\b", "a\\b"),
        ("a\nb", "a\nb"),
        (NFD_NAME, NFC_NAME),
        ("e\u0301/" + NFD_NAME, "\u00e9/" + NFC_NAME),
        ("\u212b", "\u00c5"),
        ("\u1100\u1161", "\uac00"),
        ("\ufb01", "\ufb01"),
        ("日本/コード.py", "日本/コード.py"),
    ],
)
def test_a_path_has_one_key(raw: str, key: str) -> None:
    assert path_key(raw) == key


@pytest.mark.requirement("PATH.1")
@pytest.mark.parametrize(
    "raw", ["", ".", "./", "././.", "..", "../a", "a/../b", "a/..", "./../a", "/", "/a", "//a", "/..", "a\0b", "\0"]
)
def test_what_names_no_file_beneath_the_root_has_no_key(raw: str) -> None:
    with pytest.raises(PathKeyError) as caught:
        path_key(raw)
    assert (caught.value.code, caught.value.exit_code) == ("path_invalid", ExitCode.USAGE)
    assert "relative to the root" in caught.value.hint


@pytest.mark.requirement("PATH.1")
@pytest.mark.parametrize("name", [b"caf\xe9.py", b"\xff", b"d\xc3/a.py", b"\xed\xa0\x80"])
def test_a_name_that_is_not_utf8_has_no_key(name: bytes) -> None:
    raw = name.decode("utf-8", "surrogateescape")
    assert not is_text(raw)
    with pytest.raises(PathKeyError, match="not valid UTF-8") as caught:
        path_key(raw)
    caught.value.message.encode("ascii")


@pytest.mark.requirement("PATH.1")
@pytest.mark.parametrize("raw", ["\ud800", "a/\udbff.py", "\udfff/a"])
def test_a_surrogate_that_stands_for_no_byte_has_no_key(raw: str) -> None:
    with pytest.raises(PathKeyError, match="not valid UTF-8") as caught:
        path_key(raw)
    caught.value.message.encode("utf-8")


@pytest.mark.requirement("PATH.1")
@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a.py", "a.py"),
        ("é", "é"),
        ("caf\udce9.py", "caf\\xe9.py"),
        ("é\udcff", "é\\xff"),
        ("\udced\udca0", "\\xed\\xa0"),
    ],
)
def test_any_name_can_be_shown_as_text(raw: str, shown: str) -> None:
    assert display(raw) == shown


@pytest.mark.requirement("PATH.1")
def test_a_scan_keys_by_nfc_and_opens_by_the_raw_name(folder: Path) -> None:
    write(folder, "e\u0301/" + NFD_NAME, "x = 1\n")

    (entry,) = scan(folder).files
    assert entry.key == "\u00e9/" + NFC_NAME
    assert entry.raw == "e\u0301/" + NFD_NAME
    with Beneath(str(folder)) as tree, open(tree.open_file(entry.raw), "rb") as file:
        assert file.read() == b"x = 1\n"


@pytest.mark.requirement("PATH.1")
def test_a_name_without_a_key_is_skipped_and_reported(folder: Path) -> None:
    root = bytes(folder)
    with open(root + b"/caf\xe9.py", "wb") as file:
        file.write(b"x")
    write(folder, "a.py")
    (folder / "d\udcff").mkdir()
    write(folder, "d\udcff/b.py")

    found = scan(folder)
    assert [entry.key for entry in found.files] == ["a.py"]
    assert [(skip.path, skip.reason) for skip in found.skips] == [
        ("caf\\xe9.py", SkipReason.ENCODING),
        ("d\\xff/", SkipReason.ENCODING),
    ]


texts_only = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="/\0"), min_size=1, max_size=6)
names = st.text(st.characters(blacklist_characters="/"), min_size=1, max_size=6)
texts = st.lists(st.one_of(names, st.sampled_from(["", ".", "..", "\0", "\udce9", "e\u0301"])), max_size=4).map(
    "/".join
)


@pytest.mark.slow
@pytest.mark.requirement("PATH.1")
@settings(max_examples=500)
@given(texts)
def test_a_key_is_its_own_key(raw: str) -> None:
    try:
        key = path_key(raw)
    except PathKeyError:
        parts = raw.split("/")
        assert raw.startswith("/") or not raw.strip("./") or ".." in parts or "\0" in raw or not is_text(raw), (
            "only these have no key"
        )
        return
    assert path_key(key) == key
    assert key == unicodedata.normalize("NFC", key)
    assert not {"", ".", ".."} & set(key.split("/"))
    key.encode()


@pytest.mark.slow
@pytest.mark.requirement("PATH.1")
@settings(max_examples=300)
@given(texts_only)
def test_every_normal_form_of_a_name_has_the_same_key(name: str) -> None:
    keys = {path_key("d/x" + unicodedata.normalize(form, name)) for form in ("NFC", "NFD")}
    assert keys == {path_key("d/x" + name)}


@pytest.mark.requirement("PATH.4")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Readme.md", "README.MD"),
        ("src/a.py", "SRC/a.py"),
        ("straße.txt", "STRASSE.txt"),
        ("straße.txt", "strasse.txt"),
        ("ΣΑΣ", "σας"),
        ("ſ.c", "S.c"),
        ("\u01f0", "J\u030c"),
        ("\u0390", "\u03aa\u0301"),
        ("ﬁ.py", "FI.py"),
        ("É.py", "é.py"),
        ("K.py", "\u212a.py"),
    ],
)
def test_names_that_differ_only_in_case_fold_alike(one: str, other: str) -> None:
    assert path_key(one) != path_key(other) or other == "\u212a.py"
    assert fold(path_key(one)) == fold(path_key(other))


@pytest.mark.requirement("PATH.4")
@pytest.mark.parametrize(("one", "other"), [("a", "b"), ("a/b", "a-b"), ("e", "é"), ("ı", "i"), ("a", "а")])
def test_other_names_do_not_fold_alike(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.slow
@pytest.mark.requirement("PATH.4")
@settings(max_examples=500)
@given(texts_only)
def test_folding_is_stable(name: str) -> None:
    folded = fold(nfc(name))
    assert fold(folded) == folded
    assert fold(nfc(name.casefold())) == folded


@pytest.mark.requirement("PATH.4")
def test_collisions_come_in_byte_order_whatever_the_order_of_the_files() -> None:
    raws = ["z.py", "b/x.py", "Z.py", "a.py", "B/x.py", "only.py", "A.py", "b/X.py"]
    expected = (
        Collision(("A.py", "a.py"), same_key=False),
        Collision(("B/x.py", "b/X.py", "b/x.py"), same_key=False),
        Collision(("Z.py", "z.py"), same_key=False),
    )

    for order in (raws, raws[::-1], sorted(raws)):
        assert find_collisions((nfc(raw), raw) for raw in order) == expected


@pytest.mark.requirement("PATH.4")
def test_a_case_pair_blocks_by_default_and_names_both(folder: Path) -> None:
    write(folder, "d/Readme.py")
    write(folder, "d/README.py")
    found = scan(folder)

    assert found.collisions == (Collision(("d/README.py", "d/Readme.py"), same_key=False),)
    assert {entry.key for entry in found.files} == {"d/README.py", "d/Readme.py"}
    with pytest.raises(CollisionError) as caught:
        require_no_collisions(found, IndexSettings())
    assert (caught.value.code, caught.value.exit_code) == ("path_collision", ExitCode.REFUSED)
    assert "'d/README.py' and 'd/Readme.py'" in caught.value.message
    assert 'case_collisions = "allow"' in caught.value.hint


@pytest.mark.requirement("PATH.4")
def test_a_case_pair_may_be_allowed(folder: Path) -> None:
    write(folder, "straße.py")
    write(folder, "strasse.py")
    found = scan(folder)

    assert len(found.collisions) == 1
    assert blocking_collisions(found, ALLOW) == ()
    require_no_collisions(found, ALLOW)


@pytest.mark.requirement("PATH.4")
@pytest.mark.parametrize("settings_", [IndexSettings(), ALLOW], ids=["block", "allow"])
def test_two_names_with_one_key_block_under_every_setting(folder: Path, settings_: IndexSettings) -> None:
    write(folder, NFC_NAME, "one\n")
    write(folder, NFD_NAME, "two\n")
    found = scan(folder)

    assert found.collisions == (Collision((NFD_NAME, NFC_NAME), same_key=True),)
    with pytest.raises(CollisionError) as caught:
        require_no_collisions(found, settings_)
    assert f"'{NFD_NAME}' and '{NFC_NAME}'" in caught.value.message


@pytest.mark.requirement("PATH.4")
def test_the_hint_for_two_names_with_one_key_offers_no_setting_that_would_not_help(folder: Path) -> None:
    write(folder, NFC_NAME)
    write(folder, NFD_NAME)

    with pytest.raises(CollisionError) as caught:
        require_no_collisions(scan(folder), ALLOW)
    assert "Rename" in caught.value.hint
    assert "case_collisions" not in caught.value.hint


@pytest.mark.requirement("PATH.4")
def test_a_group_with_a_case_pair_and_one_key_twice_stays_blocked(folder: Path) -> None:
    for name in (NFC_NAME, NFD_NAME, NFC_NAME.upper()):
        write(folder, name)
    found = scan(folder)

    (collision,) = blocking_collisions(found, ALLOW)
    assert set(collision.paths) == {NFC_NAME, NFD_NAME, NFC_NAME.upper()}
    assert collision.same_key


@pytest.mark.requirement("PATH.4")
def test_folders_in_two_cases_collide_only_where_their_files_do(folder: Path) -> None:
    for name in ("d/a.py", "D/b.py", "d/c.py", "D/C.py"):
        write(folder, name)

    assert [collision.paths for collision in scan(folder).collisions] == [("D/C.py", "d/c.py")]


@pytest.mark.requirement("PATH.4")
def test_a_file_that_is_not_eligible_collides_with_nothing(folder: Path) -> None:
    write(folder, ".gitignore", "/A.py\n")
    write(folder, "A.py")
    write(folder, "a.py")

    assert scan(folder).collisions == ()


@pytest.mark.requirement("PATH.4")
def test_more_groups_are_counted_in_the_message(folder: Path) -> None:
    for name in ("a", "A", "b", "B", "c", "C"):
        write(folder, name)

    with pytest.raises(CollisionError, match=r"'A' and 'a' .* 2 more such groups"):
        require_no_collisions(scan(folder), IndexSettings())


@pytest.mark.requirement("PATH.4")
def test_the_command_line_shows_both_names(folder: Path) -> None:
    write(folder, "Readme.py")
    write(folder, "README.py")

    done = cairn("index", "--dry-run", str(folder))
    assert "Readme.py" in done.stdout + done.stderr
    assert "README.py" in done.stdout + done.stderr
