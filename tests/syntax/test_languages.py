"""The language of a file, by its name and, for scripts, by its first line."""

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cairn.languages import files as tables
from cairn.languages.pins import GRAMMAR_PINS
from cairn.syntax import language_of
from cairn.syntax.grammar import grammars

BY_NAME = [
    ("main.py", "python"),
    ("types.pyi", "python"),
    ("src/deep/er/main.py", "python"),
    ("MAIN.PY", "python"),
    ("app.js", "javascript"),
    ("app.mjs", "javascript"),
    ("app.jsx", "javascript"),
    ("app.ts", "typescript"),
    ("app.d.ts", "typescript"),
    ("app.tsx", "tsx"),
    ("main.go", "go"),
    ("go.mod", "go-mod"),
    ("lib.rs", "rust"),
    ("Cargo.lock", "toml"),
    ("Main.java", "java"),
    ("Main.kt", "kotlin"),
    ("a.c", "c"),
    ("a.h", "c"),
    ("a.cc", "cpp"),
    ("a.hpp", "cpp"),
    ("a.c++", "cpp"),
    ("Program.cs", "csharp"),
    ("a.rb", "ruby"),
    ("Rakefile", "ruby"),
    ("a.php", "php"),
    ("a.swift", "swift"),
    ("a.scala", "scala"),
    ("a.ex", "elixir"),
    ("run.sh", "bash"),
    (".bashrc", "bash"),
    ("query.sql", "sql"),
    ("README.md", "markdown"),
    ("README", "text"),
    ("notes.txt", "text"),
    ("CMakeLists.txt", "cmake"),
    ("pyproject.toml", "toml"),
    ("data.json", "json"),
    ("ci.yml", "yaml"),
    ("page.html", "html"),
    ("style.scss", "css"),
    ("icon.svg", "xml"),
    ("Makefile", "make"),
    ("rules.mk", "make"),
    ("Dockerfile", "dockerfile"),
    ("Dockerfile.dev", "dockerfile"),
    ("app.dockerfile", "dockerfile"),
    ("Containerfile.arm64", "dockerfile"),
    ("BUILD.bazel", "starlark"),
    ("defs.bzl", "starlark"),
    (".gitignore", "ignore"),
    (".cairnignore", "ignore"),
    ("main.tf", "hcl"),
    ("api.proto", "protobuf"),
    ("analysis.R", "r"),
    ("unknown.zzz", "other"),
    ("no-suffix", "other"),
    ("trailing.", "other"),
    ("py", "other"),
    ("py/", "other"),
    ("python.d/x", "other"),
    ("src.py/plain", "other"),
    ("ёлка.py", "python"),
    ("a b\nc.py", "python"),
    ("", "other"),
]

BY_FIRST_LINE = [
    (b"#!/bin/sh\n", "bash"),
    (b"#!/bin/sh", "bash"),
    (b"#!/bin/sh -eu\nset -x\n", "bash"),
    (b"#! /bin/bash\n", "bash"),
    (b"#!/bin/bash\r\n", "bash"),
    (b"#!/usr/bin/env bash\n", "bash"),
    (b"#!/usr/bin/env python\n", "python"),
    (b"#!/usr/bin/env python3\n", "python"),
    (b"#!/usr/bin/env python3.11\n", "python"),
    (b"#!/usr/bin/python3.11 -u\n", "python"),
    (b"#!/usr/local/bin/pypy3\n", "python"),
    (b"#!python3\n", "python"),
    (b"#!/opt/env/bin/python3\n", "python"),
    (b"#!/usr/bin/env -S python3 -u\n", "python"),
    (b"#!/usr/bin/env -S -i python3\n", "python"),
    (b"#!/usr/bin/env -S LANG=C PYTHONUTF8=1 python3 -u\n", "python"),
    (b"#!/usr/bin/env -S /opt/python/bin/python3\n", "python"),
    (b"#!/usr/bin/env\tnode\n", "javascript"),
    (b"#!/usr/bin/env -S deno run --allow-net\n", "javascript"),
    (b"#!/usr/bin/env ruby\n", "ruby"),
    (b"#!/usr/bin/perl -w\n", "perl"),
    (b"#!/usr/bin/env Rscript\n", "r"),
    (b"#!/usr/bin/tclsh8.6\n", "tcl"),
    (b"#!/usr/bin/make -f\n", "make"),
    (b"#!/usr/bin/env unheard-of\n", "other"),
    (b"#!/usr/bin/env\n", "other"),
    (b"#!/usr/bin/env\npython\n", "other"),
    (b"#!\n", "other"),
    (b"#!", "other"),
    (b"#!/\xff\xfe\n", "other"),
    (b"#!/usr/bin/shred\n", "other"),
    (b" #!/bin/sh\n", "other"),
    (b"\n#!/bin/sh\n", "other"),
    (b"# !/bin/sh\n", "other"),
    (b"text that names python\n", "other"),
    (b"", "other"),
]


@pytest.mark.parametrize(("name", "language"), BY_NAME)
def test_a_name_tells_the_language(name: str, language: str) -> None:
    assert language_of(name) == language


@pytest.mark.parametrize(("head", "language"), BY_FIRST_LINE)
def test_the_first_line_of_a_script_tells_the_language(head: bytes, language: str) -> None:
    assert language_of("bin/tool", head) == language
    assert language_of("bin/tool.unknown", head) == language


def test_a_name_goes_before_the_first_line() -> None:
    assert language_of("tool.rb", b"#!/bin/sh\n") == "ruby"
    assert language_of("Makefile", b"#!/usr/bin/env python3\n") == "make"


@pytest.mark.parametrize("table", [tables._BY_SUFFIX, tables._BY_NAME, tables._BY_INTERPRETER])
def test_no_entry_belongs_to_two_languages(table: dict[str, str]) -> None:
    listed = Counter(entry for entries in table.values() for entry in entries.split())
    assert [entry for entry, count in listed.items() if count > 1] == []


@pytest.mark.parametrize("table", [tables._BY_SUFFIX, tables._BY_INTERPRETER])
def test_entries_that_are_compared_in_lower_case_are_in_lower_case(table: dict[str, str]) -> None:
    assert [entry for entries in table.values() for entry in entries.split() if entry != entry.lower()] == []


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.text(max_size=40),
    st.binary(max_size=80) | st.binary(max_size=80).map(lambda tail: b"#!" + tail),
)
@example("x", b"#!/usr/bin/env" + b" -a" * 1300)
@example("x", b"#!/usr/bin/env" + b" a=" * 1300)
@example("x", b"#!" + b"/" * 4094)
@example("x", b"#!env" + b" " * 4091)
@example("\udcff.py", b"")
def test_any_name_and_any_head_have_exactly_one_language(name: str, head: bytes) -> None:
    language = language_of(name, head)
    known = {*tables._BY_SUFFIX, *tables._BY_NAME, *tables._BY_INTERPRETER, "starlark", "make", "dockerfile", "other"}
    assert language in known
    assert language_of(name, head) == language


@pytest.mark.requirement("ART.1")
def test_the_pins_in_the_fingerprint_are_those_of_the_grammars() -> None:
    assert dict(GRAMMAR_PINS) == {name: grammar.identity for name, grammar in grammars().items()}
