from bench.ctags import KINDS, Tag, read
from bench.definitions import OURS, PROJECTS, causes, compare, python_tags

C = KINDS["c"]


def test_definitions_match_by_path_name_and_line() -> None:
    ours = [Tag("a.c", "run", 3, "function"), Tag("a.c", "stop", 9, "function"), Tag("a.c", "box", 1, "struct")]
    oracle = [Tag("a.c", "run", 3, "function"), Tag("a.c", "stop", 8, "function"), Tag("b.c", "box", 1, "struct")]
    found = compare(ours, oracle, C)
    assert (found.wanted, found.found, found.ours) == (3, 1, 3)
    assert {(each.tag.name, each.tag.line) for each in found.missed} == {("stop", 8), ("box", 1)}
    assert {(each.tag.name, each.tag.line) for each in found.extra} == {("stop", 9), ("box", 1)}


def test_kinds_that_are_no_definitions_of_code_do_not_count() -> None:
    found = compare([Tag("a.c", "x", 1, "variable")], [Tag("a.c", "x", 1, "variable")], C)
    assert (found.wanted, found.ours, found.share) == (0, 0, 1.0)


def test_names_that_the_oracle_made_up_are_not_wanted() -> None:
    assert compare([], [Tag("a.c", "__anon1f", 1, "struct")], C).wanted == 0


def test_differences_are_told_by_cause() -> None:
    ours = [Tag("a.c", "moved", 2, "function"), Tag("a.c", "seen", 4, "variable"), Tag("a.c", "again", 5, "function")]
    oracle = [
        Tag("a.c", "moved", 1, "function"),
        Tag("a.c", "seen", 4, "function"),
        Tag("a.c", "again", 5, "function"),
        Tag("a.c", "again", 6, "function"),
        Tag("a.c", "inner", 7, "function", "function"),
        Tag("a.c", "lost", 8, "function"),
        Tag("a.c", "XS", 10, "function"),
        Tag("a.c", "XS", 20, "function"),
    ]
    told = {each.tag.name: each.cause for each in compare(ours, oracle, C).missed}
    assert told == {
        "moved": "on another line there",
        "seen": "another kind there: variable",
        "again": "one more function of a name that it has",
        "inner": "function within a function",
        "lost": "function that it lacks",
        "XS": "named after the macro that makes it",
    }


def test_causes_are_counted_the_most_frequent_first() -> None:
    oracle = [Tag("a.c", name, line, "function") for line, name in enumerate(("a", "b"))]
    oracle.append(Tag("a.c", "c", 9, "function", "function"))
    counted = causes(compare([], oracle, C).missed)
    assert [(cause, count) for cause, count, _ in counted] == [
        ("function that it lacks", 2),
        ("function within a function", 1),
    ]


def test_python_says_what_it_defines_at_the_line_of_the_name() -> None:
    source = "@one\n@two\nclass A:\n    async def run(self):\n        def inner(): ...\nif x:\n    def b(): ...\n"
    assert set(python_tags("a.py", source)) == {
        Tag("a.py", "A", 3, "class"),
        Tag("a.py", "run", 4, "function", "class"),
        Tag("a.py", "inner", 5, "function", "function"),
        Tag("a.py", "b", 7, "function"),
    }
    assert list(python_tags("a.py", "def broken(:\n")) == []


def test_tags_are_read_and_other_records_passed_over() -> None:
    lines = [
        '{"_type": "ptag", "name": "JSON_OUTPUT_VERSION", "path": "0.0"}',
        '{"_type": "tag", "name": "run", "path": "a.c", "line": 4, "kind": "function", "scopeKind": "struct"}',
    ]
    assert list(read(lines)) == [Tag("a.c", "run", 4, "function", "struct")]


def test_every_language_that_is_compared_has_its_kinds() -> None:
    assert {project.language for project in PROJECTS} <= KINDS.keys()
    assert len({project.language for project in PROJECTS}) >= 5
    assert "variable" not in OURS
    assert all("variable" not in kinds for kinds in KINDS.values())


def test_a_function_that_a_macro_makes_is_found_by_its_own_name() -> None:
    oracle = [Tag("a.c", "XS", 3, "function"), Tag("a.c", "XS", 9, "function"), Tag("a.c", "plain", 20, "function")]
    ours = [Tag("a.c", "first", 3, "function"), Tag("a.c", "other", 20, "function")]
    found = compare(ours, oracle, C)
    assert (found.wanted, found.found) == (3, 1)
    assert [each.tag.line for each in found.missed] == [9, 20]
    assert [each.tag.line for each in found.extra] == [20]
