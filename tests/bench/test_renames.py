from pathlib import Path

import pytest
from bench.indexed import indexed
from bench.processes import ChildError
from bench.renamejudge import RIGHT, Edit, Judge, edited, in_comment, key_of, result, settled
from bench.renames import ASKS, PASSES, REFUSES, SYNTACTIC, Answer, Kept, Row, ask, load, sampled, save, tried
from bench.renamesymbols import KINDS, Place, chosen, drawn, fresh
from bench.renametable import outcome, shown, told


def place(name: str, kind: str, line: int = 1) -> Place:
    return Place("m.py", line, 0, name, kind)


EDITS = [Edit("m.py", 4, 8, "qqNew4")]
MORE = [*EDITS, Edit("m.py", 20, 24, "qqNew4")]


@pytest.mark.parametrize("name", ["name", "_name", "__name", "Name", "NAME", "_NAME", "x", "T"])
def test_a_fresh_name_has_the_form_of_the_old_one_and_nothing_else_of_it(name: str) -> None:
    new = fresh(name)
    assert new.isidentifier()
    assert name.strip("_") not in new
    assert new.startswith("_") is name.startswith("_")
    assert new.strip("_")[0].isupper() is name.strip("_")[0].isupper()


def test_the_same_definitions_are_drawn_every_time() -> None:
    places = {place("a", "local", line) for line in range(50)}
    assert drawn(places, 5) == drawn(set(places), 5)
    assert len(drawn(places, 5)) == 5
    assert len(drawn(places, 500)) == 50


def test_definitions_of_every_kind_are_found_once_and_none_of_tests(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    (root / "tests").mkdir(parents=True)
    (root / "m.py").write_text(
        "LIMIT = 3\n\ndef work(given):\n    made = given\n    made = 2\n    return made\n\n"
        "class Shelf:\n    size = 1\n\n    def __init__(self):\n        self.books = []\n        self.books = [1]\n\n"
        "    def put(self):\n        return self.books\n"
    )
    (root / "tests" / "test_m.py").write_text("def test_work():\n    found = 1\n    assert found\n")
    with indexed(tmp_path, root) as view:
        found = chosen(view, "python", 10)
    names = [(each.kind, each.name) for each in found]
    assert sorted(names) == sorted(
        [
            ("local", "made"),
            ("parameter", "given"),
            ("function", "work"),
            ("method", "put"),
            ("class", "Shelf"),
            ("constant", "LIMIT"),
            ("field", "size"),
            ("field", "books"),
        ]
    )
    assert {kind for kind, _ in names} == set(KINDS)


def test_the_gate_is_asked_and_what_it_says_is_kept(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "m.py").write_text("def work():\n    made = 1\n    return made\n\nwork()\n")
    kept = Kept("tree")
    ask(tmp_path, root, "python", 10, kept, tmp_path / "kept.json", indexer=False)
    assert [(row.place.name, row.answers[SYNTACTIC].status) for row in kept.rows] == [
        ("made", PASSES),
        ("work", PASSES),
    ]
    assert [edit.start for edit in kept.rows[1].answers[SYNTACTIC].edits["proven"]] == [4, 42]
    save(tmp_path / "tree.json", kept)
    assert load(tmp_path / "tree.json") == kept


def test_edits_are_written_from_the_first_to_the_last_and_never_over_each_other() -> None:
    data = b"a = 1\nb = a\n"
    edits = settled([("m.py", 10, 11, "new"), ["m.py", 0, 1, "new"], ("m.py", 10, 11, "new")])
    assert edits == [Edit("m.py", 0, 1, "new"), Edit("m.py", 10, 11, "new")]
    assert edited(data, edits) == b"new = 1\nb = new\n"
    with pytest.raises(ChildError, match="overlap"):
        edited(data, [Edit("m.py", 0, 4, "x"), Edit("m.py", 2, 5, "y")])


def test_a_check_is_told_by_its_end_and_its_counts_alone(tmp_path: Path) -> None:
    assert result(tmp_path, "echo '3 passed, 1 skipped in 0.1s'; exit 1") == (1, ("1 skipped", "3 passed"))
    assert result(tmp_path, r"printf '\033[1m2 failed\033[0m | 21 passed (23)'") == (0, ("2 failed", "21 passed"))


def test_a_rename_is_judged_in_a_copy_that_is_as_before_afterwards(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "m.txt").write_text("one two\n")
    judge = Judge(root, tmp_path / "copy", ["grep -q one m.txt"])
    assert judge.verdict([Edit("m.txt", 4, 7, "three")]) == RIGHT
    assert "exit status 1 instead of exit status 0" in judge.verdict([Edit("m.txt", 0, 3, "three")])
    assert (tmp_path / "copy" / "m.txt").read_text() == "one two\n"
    assert (root / "m.txt").read_text() == "one two\n"


def test_kinds_take_turns_in_a_sample() -> None:
    rows = [Row(place(f"{kind}{line}", kind, line)) for kind in KINDS for line in range(3)]
    assert [row.place.kind for row in sampled(rows, 2)] == [*KINDS] * 2


def test_choices_are_tried_in_their_order_each_edit_once() -> None:
    answer = Answer(ASKS, {}, {"all": MORE, "code": MORE, "proven": EDITS})
    assert tried(answer) == [EDITS, MORE]


@pytest.mark.parametrize(
    ("answer", "verdicts", "is_so"),
    [
        (Answer(PASSES, {}, {"proven": EDITS}), {key_of(EDITS): RIGHT}, "right"),
        (Answer(PASSES, {}, {"proven": EDITS}), {key_of(EDITS): "pytest: 1 failed"}, "wrong"),
        (Answer(PASSES, {}, {"proven": EDITS}), {}, "untried"),
        (Answer(ASKS, {}, {"proven": EDITS}), {}, "untried"),
        (Answer(ASKS, {}, {"proven": EDITS, "code": MORE}), {key_of(EDITS): RIGHT}, "proven"),
        (Answer(ASKS, {}, {"proven": EDITS, "code": MORE}), {key_of(EDITS): "no", key_of(MORE): RIGHT}, "choice"),
        (Answer(ASKS, {}, {"proven": EDITS, "code": MORE}), {key_of(EDITS): "no", key_of(MORE): "no"}, "never"),
        (Answer(REFUSES), {}, "refused"),
    ],
)
def test_what_became_of_an_answer(answer: Answer, verdicts: dict[str, str], is_so: str) -> None:
    assert outcome(Kept("p", [], verdicts), answer) == is_so


def test_the_tables_count_what_passes_and_what_is_right() -> None:
    rows = [
        Row(place("a", "local"), {SYNTACTIC: Answer(PASSES, {}, {"proven": EDITS})}),
        Row(place("b", "local"), {SYNTACTIC: Answer(ASKS, {"decorated": "m.py:1 @x"}, {"proven": MORE})}),
        Row(place("c", "field"), {SYNTACTIC: Answer(REFUSES, {"refused": "taken"})}),
    ]
    kept = Kept("p", rows, {key_of(EDITS): "go: exit status 1", key_of(MORE): RIGHT})
    text = told([kept])
    assert "| p | without an indexer | 1 / 1 / 0 | - | - | - | - | - | 0 / 0 / 1 |" in text
    assert "- p, without an indexer: decorated 1 (1 alone), refused 1 (1 alone)." in text
    assert "| p | without an indexer | 2 | 0 | 1 | 1 | 0 | 0 | 0 |" in text
    rows[0].answers["gopls"] = Answer(PASSES, {}, {"proven": MORE})
    assert "| p | without an indexer | gopls | 1 | 0 | 0 | 1 | 0 |" in told([kept])
    assert any("wrong\tgo: exit status 1" in line for line in shown([kept]))


def test_edits_in_lines_of_comments_are_told(tmp_path: Path) -> None:
    (tmp_path / "m.go").write_text("// Work does it.\nfunc Work() {} // Work\n")
    assert in_comment(tmp_path, Edit("m.go", 3, 7, "x"))
    assert not in_comment(tmp_path, Edit("m.go", 22, 26, "x"))
