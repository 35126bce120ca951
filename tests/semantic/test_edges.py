"""Wrong edges: what a tool claims is held against what is written and what is defined."""

from pathlib import Path

import pytest

from tests.semantic.imports import Outcome, Texts, run
from tests.semantic.scip.wireformat import document, field, metadata, occurrence, packed

OURS = "scip-python python project 0 "
THEIRS = "scip-python python python-stdlib 3.11 "
MODULE_A = occurrence([0, 0, 0], f"{OURS}a/__init__:", 1)
MODULE_B = occurrence([0, 0, 0], f"{OURS}b/__init__:", 1)


def two(tmp_path: Path, a: str, b: str, in_a: list[bytes], in_b: list[bytes], tool: str = "scip-python") -> Outcome:
    index = metadata(tool) + document("a.py", MODULE_A, *in_a) + document("b.py", MODULE_B, *in_b)
    return run(tmp_path, index, Texts({"a.py": a, "b.py": b}))


@pytest.mark.requirement("SCIP.1")
def test_a_symbol_of_the_project_that_nothing_defines_is_no_edge(tmp_path: Path) -> None:
    found = two(
        tmp_path,
        "def f(): pass\n",
        "f()\ng()\nh()\n",
        [occurrence([0, 4, 5], f"{OURS}a/f().", 1)],
        [
            occurrence([0, 0, 1], f"{OURS}a/f()."),
            occurrence([1, 0, 1], f"{OURS}a/g()."),
            occurrence([2, 0, 1], f"{THEIRS}os/h()."),
        ],
    )
    assert found.of("f().") == [("a.py", 1, "f"), ("b.py", 1, "f")]
    assert found.of("g().") == []
    assert found.of("h().") == [("b.py", 3, "h")]
    assert found.imported.dropped == 1
    assert all(not each.symbol.endswith("g().") for each in found.symbols)


def test_where_symbols_name_no_package_nobody_can_say_whose_they_are(tmp_path: Path) -> None:
    symbol = "cxx . . $ std/vector#"
    index = metadata() + document("a.cc", occurrence([0, 0, 1], "cxx . . $ f().", 1), occurrence([1, 0, 6], symbol))
    found = run(tmp_path, index, Texts({"a.cc": "f\nvector\n"}))
    assert found.of("vector#") == [("a.cc", 2, "vector")]


@pytest.mark.requirement("SCIP.1")
def test_another_name_than_the_symbols_is_believed_only_where_an_import_binds_it(tmp_path: Path) -> None:
    """`models.CharField` for the class DateTimeField, as scip-python has it behind star imports."""
    date = f"{OURS}a/DateTimeField#"
    found = two(
        tmp_path,
        "class DateTimeField: pass\n",
        "from a import DateTimeField as Date\nx = models.CharField()\ny = Date()\n",
        [occurrence([0, 6, 19], date, 1)],
        [occurrence([0, 14, 35], date, 8), occurrence([1, 11, 20], date, 8), occurrence([2, 4, 8], date, 8)],
    )
    assert found.of("DateTimeField#") == [
        ("a.py", 1, "DateTimeField"),
        ("b.py", 1, "DateTimeField"),
        ("b.py", 3, "Date"),
    ]
    assert found.imported.dropped == 1
    assert found.recorded["b.py"].dependencies == {"a.py": "shown a.py"}


@pytest.mark.requirement("SCIP.1")
def test_an_import_that_binds_another_name_explains_nothing(tmp_path: Path) -> None:
    date = f"{OURS}a/DateTimeField#"
    found = two(
        tmp_path,
        "class DateTimeField: pass\n",
        "from models import CharField as Text\nText()\n",
        [occurrence([0, 6, 19], date, 1)],
        [occurrence([0, 19, 36], date, 8), occurrence([1, 0, 4], date, 8)],
    )
    assert found.of("DateTimeField#") == [("a.py", 1, "DateTimeField")]
    assert found.imported.dropped == 2


@pytest.mark.requirement("SCIP.1")
def test_a_name_that_is_offered_on_is_used_under_its_new_name_in_other_files(tmp_path: Path) -> None:
    """The documents come in an order in which each new name is met before it is bound."""
    deep = f"{OURS}a/Deep#"
    index = (
        metadata("scip-python")
        + document("z.py", occurrence([0, 14, 21], deep, 8), occurrence([1, 0, 7], deep, 8))
        + document("b.py", occurrence([0, 14, 31], deep, 8))
        + document("c.py", occurrence([0, 14, 28], deep, 8))
        + document("a.py", MODULE_A, occurrence([0, 6, 10], deep, 1))
    )
    texts = Texts(
        {
            "a.py": "class Deep: pass\n",
            "b.py": "from c import Deeper as Deepest\n",
            "c.py": "from a import Deep as Deeper\n",
            "z.py": "from b import Deepest\nDeepest()\n",
        }
    )
    found = run(tmp_path, index, texts)
    assert found.of("Deep#") == [
        ("a.py", 1, "Deep"),
        ("b.py", 1, "Deeper"),
        ("c.py", 1, "Deep"),
        ("z.py", 1, "Deepest"),
        ("z.py", 2, "Deepest"),
    ]
    assert found.imported.dropped == 0


@pytest.mark.requirement("SCIP.1")
def test_modules_that_are_imported_relatively_are_not_those_of_that_name(tmp_path: Path) -> None:
    """`from . import string` in pkg/b.py means pkg/string.py; the tool has string.py for it, or the library's."""
    ours, theirs = f"{OURS}string/__init__:", f"{THEIRS}string/__init__:"
    index = (
        metadata("scip-python")
        + document("string.py", occurrence([0, 0, 0], ours, 1))
        + document("pkg/string.py", occurrence([0, 0, 0], f"{OURS}`pkg.string`/__init__:", 1))
        + document(
            "pkg/b.py",
            occurrence([0, 0, 0], f"{OURS}`pkg.b`/__init__:", 1),
            occurrence([0, 5, 6], "local 0", 8),
            occurrence([0, 14, 20], ours, 8),
            occurrence([1, 5, 12], theirs, 8),
            occurrence([2, 0, 6], ours, 8),
        )
        + document(
            "c.py",
            occurrence([0, 0, 0], f"{OURS}c/__init__:", 1),
            occurrence([0, 7, 13], ours, 8),
            occurrence([1, 0, 6], ours, 8),
            occurrence([2, 4, 10], ours, 8),
            occurrence([3, 7, 17], f"{OURS}`pkg.string`/__init__:", 8),
        )
    )
    texts = Texts(
        {
            "string.py": "",
            "pkg/string.py": "",
            "pkg/b.py": "from . import string\nfrom .string import x\nstring.x\n",
            "c.py": "import string\nstring.x\npkg.string\nimport pkg.string\n",
        }
    )
    found = run(tmp_path, index, texts)
    assert found.of(ours) == [("c.py", 1, "string"), ("c.py", 2, "string"), ("string.py", 1, "")]
    assert found.of(theirs) == []
    assert found.of("`pkg.string`/__init__:") == [("c.py", 4, "pkg.string"), ("pkg/string.py", 1, "")]
    # What it may be, it depends on: a change of either may change what the file means.
    assert {"pkg/string.py"} <= found.recorded["pkg/b.py"].dependencies.keys()


def test_a_local_symbol_that_its_file_does_not_define_is_none(tmp_path: Path) -> None:
    """scip-python calls what it finds in no project `local`, one for each place."""
    found = two(
        tmp_path, "", "x = 1\nx\nlen(x)\n(x)\n", [], [
            occurrence([0, 0, 1], "local 0", 1),
            occurrence([1, 0, 1], "local 0", 8),
            occurrence([2, 0, 3], "local 1", 8),
            occurrence([3, 0, 3], "local 0", 8),
        ],
    )  # fmt: skip
    assert found.of("local 0") == [("b.py", 1, "x"), ("b.py", 2, "x"), ("b.py", 4, "x")]
    assert found.of("local 1") == []
    assert found.imported.dropped == 1


def test_functions_within_methods_that_share_a_symbol_are_flagged(tmp_path: Path) -> None:
    inner = f"{OURS}a/A#inner()."
    text = "def inner(): 1\ndef inner(): 2\n"
    found = two(tmp_path, text, "", [occurrence([0, 4, 9], inner, 1), occurrence([1, 4, 9], inner, 1)], [])
    assert [(flag.line, flag.kind, flag.what) for flag in found.recorded["a.py"].flags] == [
        (2, "multiple_definitions", "inner")
    ]


@pytest.mark.requirement("SCIP.1")
def test_what_scip_typescript_writes_in_other_words_is_understood(tmp_path: Path) -> None:
    at = "scip-typescript npm p 1 "
    file_a, bar, key = f"{at}`a.ts`/", f"{at}`a.ts`/Bar#", f"{at}`a.ts`/key0:"
    made, wide = f"{bar}`<constructor>`().", f"{bar}`<get>wide`()."
    a = "export default class Bar { constructor() {} get wide() {} }\nconst o = { key: 1 };\n"
    b = 'import Foo from "./a";\nimport * as all from "./a";\nnew Foo().wide;\nx["wide"]; all.default; all; Wrong;\n'
    index = (
        metadata("scip-typescript")
        + document(
            "a.ts",
            occurrence([0, 0, 0], file_a, 1),
            occurrence([0, 21, 24], bar, 1),
            occurrence([0, 27, 38], made, 1),
            occurrence([0, 48, 52], wide, 1),
            occurrence([1, 12, 15], key, 1),
            occurrence([1, 13, 15], f"{at}`a.ts`/eyes1:", 1),
        )
        + document(
            "b.ts",
            occurrence([0, 0, 0], f"{at}`b.ts`/", 1),
            occurrence([0, 7, 10], bar),
            occurrence([0, 16, 21], file_a),
            occurrence([1, 12, 15], file_a),
            occurrence([2, 4, 7], made),
            occurrence([2, 10, 14], wide),
            occurrence([3, 2, 8], wide),
            occurrence([3, 15, 22], bar),
            occurrence([3, 24, 27], file_a),
            occurrence([3, 29, 34], bar),
        )
    )
    found = run(tmp_path, index, Texts({"a.ts": a, "b.ts": b}))
    assert found.of("Bar#") == [("a.ts", 1, "Bar"), ("b.ts", 1, "Foo"), ("b.ts", 4, "default")]
    assert found.of("`<constructor>`().") == [("a.ts", 1, "constructor"), ("b.ts", 3, "Foo")]
    assert found.of("`<get>wide`().") == [("a.ts", 1, "wide"), ("b.ts", 3, "wide"), ("b.ts", 4, "wide")]
    assert found.of(file_a) == [("a.ts", 1, ""), ("b.ts", 1, '"./a"'), ("b.ts", 2, "all"), ("b.ts", 4, "all")]
    assert (found.named("key0:").name, found.named(wide).name) == ("key", "wide")
    assert found.of("eyes1:") == []
    assert found.imported.dropped == 2


def test_relationships_to_what_nothing_defines_are_left_out(tmp_path: Path) -> None:
    def told(symbol: str, other: str) -> bytes:
        return field(3, field(1, symbol) + field(4, field(1, other) + field(3, 1) + field(2, 1) + field(4, 1)))

    a, b, gone = (f"{OURS}a/{name}#" for name in ("A", "B", "Gone"))
    index = metadata("scip-python") + document(
        "a.py",
        MODULE_A,
        field(1, packed([0, 6, 7])) + field(2, a) + field(3, 1),
        field(1, packed([1, 6, 7])) + field(2, b) + field(3, 1),
        more=told(b, a) + told(b, gone),
    )
    found = run(tmp_path, index, Texts({"a.py": "class A: 1\nclass B: 1\n"}))
    assert found.relations == {(b, a, "implementation"), (b, a, "reference"), (b, a, "type_definition")}
