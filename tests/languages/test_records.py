"""One record a language: found by its name, loaded alone, and asked by every room."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cairn
from cairn.edit.gate.corners import _RULES
from cairn.edit.gate.newname import naming_fault
from cairn.graph.customs import Modules, customs_of, family
from cairn.languages.files import language_named
from cairn.languages.record import CODE, Language
from cairn.languages.registry import record_of, records
from cairn.semantic.ambiguity import _LOOKS
from cairn.syntax.imported import bindings_of, packed
from cairn.syntax.parse import parse_file
from tests.named import uses_of

SOURCE = Path(cairn.__file__).resolve().parent
TOY = """
from cairn.languages.record import Customs
from cairn.languages.grammar import Grammar
from cairn.languages.imports import everything
from cairn.languages.modules.rules import Relative
from cairn.languages.record import Naming
from cairn.languages.record import Language
from cairn.languages.scoping import Scoping, binders, words

LANGUAGE = Language(
    name="toy-talk",
    grammar=Grammar(
        "tree-sitter-python==0.25.0",
        query="(function_definition name: (identifier) @name) @definition.function",
        exported=lambda name, head: name != "mine",
    ),
    scoping=Scoping(functions=words("function_definition"), binders=binders(block="parameters")),
    bindings=everything,
    modules=Relative,
    kin="python",
    customs=Customs(selves=frozenset({"me"}), any_file=True),
    naming=Naming(reserved=frozenset({"hello"})),
)
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A language that is declared in one file, and nowhere else."""
    (tmp_path / "toy_talk.py").write_text(TOY)
    monkeypatch.setattr("cairn.languages.__path__", [*sys.modules["cairn.languages"].__path__, str(tmp_path)])
    yield "toy-talk"
    sys.modules.pop("cairn.languages.toy_talk", None)
    record_of.cache_clear()


def test_a_language_is_one_file(toy: str) -> None:
    assert toy in {each.name for each in records()}
    parsed = parse_file("a.toy", toy, b"def one(a):\n    return a\n\ndef mine():\n    pass\n", 1500, 100)
    assert [(each.name, each.kind, each.exported) for each in parsed.symbols] == [
        ("one", "function", True),
        ("mine", "function", False),
    ]
    assert [use.local for use in uses_of("a.toy", toy, b"def one(a):\n    return a\n", "a")] == [True, True]
    assert packed(bindings_of(toy, "use b", "b")) == "*"
    assert Modules(["a.toy", "b.toy"], lambda path: None).resolve(toy, "a.toy", "./b.toy").paths == ("b.toy",)
    assert customs_of(toy).selves == {"me"}
    assert customs_of(toy).any_file
    assert family(toy) == "python"
    assert naming_fault("hello", "goodbye", toy) == "toy-talk gives it a meaning"


@pytest.mark.parametrize("name", ["clojure", "other", "", "record", "modules", "no.such", "../go"])
def test_a_language_without_a_record_is_as_most_languages(name: str) -> None:
    assert record_of(name) == Language(name)


def test_every_record_is_found_by_its_own_name() -> None:
    assert len(records()) > 35
    for record in records():
        assert record_of(record.name) is record
        assert language_named(record.name) == record.name or record.name == "ocaml-interface"
        assert record.family in {each.name for each in records()}


def test_rules_that_records_name_are_there() -> None:
    named = {rule for each in records() for rule in (*each.naming.corners, *each.naming.lasting)}
    assert named == _RULES.keys()
    assert {each.ambiguity for each in records()} - {""} == _LOOKS.keys()


def test_a_language_is_loaded_alone_and_when_it_is_asked_for() -> None:
    code = (
        "import sys, cairn.syntax.grammar, cairn.graph; from cairn.languages.files import language_of;"
        "from cairn.languages.registry import record_of;"
        "named = lambda: [each for each in ('c', 'go', 'python', 'tsx') if f'cairn.languages.{each}' in sys.modules];"
        "print(named()); record_of(language_of('a.go')); print(named())"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, check=True, text=True)
    assert done.stdout == "[]\n['go']\n"


def test_what_records_are_made_of_is_loaded_with_the_first() -> None:
    code = "import sys, cairn.syntax.parse; print('cairn.languages.record' in sys.modules)"
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, check=True, text=True)
    assert done.stdout == "False\n"


def tables(source: Path) -> Iterator[str]:
    """Literals outside of `languages` that hold something by the names of several languages."""
    names = {each.name for each in records() if each.content == CODE and each.grammar is not None}
    for path in sorted(source.rglob("*.py")):
        if path.relative_to(source).parts[0] == "languages":
            continue
        for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
            keys = node.keys if isinstance(node, ast.Dict) else node.elts if isinstance(node, ast.Set) else []
            if len(names & {key.value for key in keys if isinstance(key, ast.Constant)}) > 1:
                yield f"{path.relative_to(source)}:{getattr(node, 'lineno', 0)}"


@pytest.mark.slow
def test_no_other_room_has_a_table_of_languages() -> None:
    assert list(tables(SOURCE)) == []


def test_a_table_of_languages_is_found(tmp_path: Path) -> None:
    (tmp_path / "languages").mkdir()
    by = 'BY = {"go": 1, "rust": 2}\n'
    (tmp_path / "languages" / "files.py").write_text(by)
    (tmp_path / "a.py").write_text(by + 'SOME = frozenset({"java", "ruby"})\nONE = {"go": 1, "x": 2}\n')
    assert list(tables(tmp_path)) == ["a.py:1", "a.py:2"]
