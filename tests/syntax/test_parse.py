"""Parsing a file: which grammar, when none, and whether the grammar is the one that was pinned."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tree_sitter

from cairn.base.errors import IncompatibleError
from cairn.codebase.codebase import identity_of
from cairn.config.project import Config
from cairn.embed import HashingEmbedder
from cairn.languages.files import language_of
from cairn.languages.pins import GRAMMAR_PINS
from cairn.syntax.facts import SYMBOL_KINDS
from cairn.syntax.grammar import compiled, grammars, load
from cairn.syntax.parse import MAX_PARSED_BYTES, line_count, parse_file
from cairn.workspace.root import Root, find_root
from tests.trees import Repo, write


def parsed_as(path: str, text: str) -> bool:
    return parse_file(path, language_of(path), text.encode(), 1500, 1000).parsed


@pytest.mark.slow
@pytest.mark.requirement("MOD.1")
def test_twenty_five_languages_are_parsed_at_least() -> None:
    assert len(grammars()) >= 25
    assert all(load(language) is not None for language in grammars())


@pytest.mark.requirement("ART.1")
@pytest.mark.slow
def test_every_grammar_is_pinned_to_the_version_that_is_installed() -> None:
    installed = {name: load(name) for name in grammars()}
    assert all(installed.values())
    assert all(grammar.identity.partition("==")[2] for grammar in grammars().values())


@pytest.mark.requirement("ART.1")
def test_constraints_pin_the_grammars_that_the_fingerprint_names() -> None:
    pins = (Path(__file__).parents[2] / "constraints.txt").read_text(encoding="utf-8").lower().split()
    assert [grammar.identity for grammar in grammars().values() if grammar.identity not in pins] == []


@pytest.mark.requirement("ART.1")
def test_each_grammars_identity_is_part_of_the_fingerprint(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root: Root = find_root(str(folder))
    embedder = HashingEmbedder(16)
    before = identity_of(root, Config(), embedder)
    fingerprints = {before.config_fingerprint}
    real = dict(GRAMMAR_PINS)
    for name in real:
        # Another version can't be installed for a test: another pin stands in for it.
        monkeypatch.setattr("cairn.codebase.identity.GRAMMAR_PINS", real | {name: "tree-sitter-other==0.0.1"})
        fingerprints.add(identity_of(root, Config(), embedder).config_fingerprint)
    assert len(fingerprints) == len(real) + 1


@pytest.mark.requirement("ART.1")
def test_model_and_dimension_are_part_of_the_fingerprint(folder: Path) -> None:
    root = find_root(str(folder))
    one, two = HashingEmbedder(16), HashingEmbedder(32)
    other = SimpleNamespace(identity="another", dimension=16, embed=one.embed)
    found = {identity_of(root, Config(), embedder).config_fingerprint for embedder in (one, two, other)}
    assert len(found) == 3


def foreign_grammar(folder: Path, package: str) -> Path:
    """A folder that says, to whoever has it on the path, that another version is installed."""
    write(
        folder,
        f"{package.replace('-', '_')}-9.9.9.dist-info/METADATA",
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 9.9.9\n",
    )
    return folder


@pytest.mark.requirement("ART.1")
def test_another_version_of_a_grammar_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(foreign_grammar(tmp_path, "tree-sitter-lua")))
    load.cache_clear()
    try:
        with pytest.raises(IncompatibleError) as caught:
            load("lua")
    finally:
        load.cache_clear()
    assert "9.9.9" in caught.value.message
    assert caught.value.hint == f"Run `pip install {grammars()['lua'].identity}`."


@pytest.mark.slow
@pytest.mark.requirement("ART.1")
def test_an_index_with_another_version_of_a_grammar_is_refused_and_published_nowhere(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write("a.py", "def take(): pass\n")
    foreign = foreign_grammar(tmp_path / "foreign", "tree-sitter-python")
    path = os.pathsep.join([str(foreign), *(entry for entry in sys.path if entry)])
    done = subprocess.run(
        (sys.executable, "-m", "cairn", "index", str(repo.path)),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path, "CAIRN_EMBED_PROVIDER": "hashing"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 13
    assert grammars()["python"].identity in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.h", "class Lease { void take(); };\n", "Lease"),
        ("b.h", "@interface Lease : NSObject\n- (void)take;\n@end\n", "Lease"),
        ("c.h", "struct lease { int a; };\n", "lease"),
        ("a.mli", "val take : int -> int\n", "take"),
    ],
)
def test_the_text_decides_where_the_suffix_does_not(path: str, text: str, name: str) -> None:
    found = parse_file(path, language_of(path), text.encode(), 1500, 100)
    assert name in {symbol.name for symbol in found.symbols}
    assert found.language == language_of(path)


@pytest.mark.parametrize("path", ["a.unheard", "notes.txt", "lexer.mll", "a.lhs", "a.clj"])
def test_a_language_without_a_grammar_is_cut_by_lines(path: str) -> None:
    found = parse_file(path, language_of(path), b"one\ntwo\n", 1500, 100)
    assert not found.parsed
    assert [chunk.text for chunk in found.chunks] == ["one\ntwo\n"]
    assert (found.symbols, found.interface_hash) == ((), "")


def test_a_huge_file_is_cut_by_lines() -> None:
    line = "x = 1\n"
    assert not parsed_as("a.py", line * (MAX_PARSED_BYTES // len(line) + 1))


@pytest.mark.parametrize(
    ("data", "lines"), [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"a\r\nb\r\n", 2), (b"\n\n", 2)]
)
def test_lines_are_counted_as_editors_do(data: bytes, lines: int) -> None:
    assert line_count(data) == lines
    assert parse_file("a.py", "python", data, 1500, 10).lines == lines


@pytest.mark.requirement("MOD.3")
def test_facts_of_a_file() -> None:
    text = '''"""What leases are."""

import os
from store.guard import Guard


class Lease:
    """A lease on a store."""

    def release(self, force=False):
        """Give it back."""
        self.guard.drop(force)


def take(path):
    return Lease(os.fspath(path))
'''
    found = parse_file("a.py", "python", text.encode(), 1500, 100)
    assert [(s.qualified_name, s.kind, s.start_line, s.end_line, s.name_line) for s in found.symbols] == [
        ("Lease", "class", 7, 12, 7),
        ("Lease.release", "method", 10, 12, 10),
        ("take", "function", 15, 16, 15),
    ]
    assert found.symbols[1].container == "Lease"
    assert found.symbols[1].signature == "def release(self, force=False)"
    assert found.symbols[1].doc == "Give it back."
    assert [(item.source, item.line) for item in found.imports] == [("os", 3), ("store.guard", 4)]
    assert [(call.name, call.line, call.caller) for call in found.calls] == [
        ("drop", 12, "Lease.release"),
        ("Lease", 16, "take"),
        ("fspath", 16, "take"),
    ]
    assert found.top_comment == "What leases are."
    assert {symbol.kind for symbol in found.symbols} <= SYMBOL_KINDS


@pytest.mark.requirement("MOD.3")
def test_what_stands_in_something_hidden_is_hidden_at_any_depth() -> None:
    text = "class _A:\n    class B:\n        def c(self): pass\n\n\ndef f():\n    class G:\n        def h(self): pass\n"
    found = parse_file("a.py", "python", text.encode(), 1500, 100)
    assert {symbol.qualified_name: symbol.exported for symbol in found.symbols} == {
        "_A": False,
        "_A.B": False,
        "_A.B.c": False,
        "f": True,
        "f.G": False,
        "f.G.h": False,
    }


@pytest.mark.requirement("MOD.1")
def test_broken_syntax_keeps_what_can_be_told() -> None:
    text = "def whole():\n    return 1\n\n\ndef broken(:\n    x = (\n\n\ndef after():\n    return 2\n"
    found = parse_file("a.py", "python", text.encode(), 1500, 100)
    assert "whole" in {symbol.name for symbol in found.symbols}
    assert "after" in "".join(chunk.text for chunk in found.chunks)


@pytest.mark.requirement("ART.1")
@pytest.mark.parametrize("version", ["CHUNKER_VERSION", "FACTS_VERSION", "TOKENS_VERSION", "VECTOR_RECIPE"])
def test_what_indexing_makes_of_a_text_is_part_of_the_fingerprint(
    folder: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    root, embedder = find_root(str(folder)), HashingEmbedder(16)
    before = identity_of(root, Config(), embedder).config_fingerprint
    monkeypatch.setattr(f"cairn.codebase.identity.{version}", "another")
    assert identity_of(root, Config(), embedder).config_fingerprint != before


def test_ctrl_c_while_a_query_is_compiled_is_no_error_of_the_query() -> None:
    loaded = load("python")
    assert loaded is not None

    def interrupt(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name == "compile":
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            compiled(loaded.parser.language, '((identifier) @a (#match? @a "^interrupted$"))')
    finally:
        sys.setprofile(None)
    with pytest.raises(tree_sitter.QueryError):
        compiled(loaded.parser.language, "(no_such_node) @a")
