"""What import statements bind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.languages.registry import records
from cairn.syntax.imported import Binding, bindings_of, packed, unpacked

RULED = [each.name for each in records() if each.bindings]
CASES = [
    ("python", "from a import (b as c, d,  # why\n    e)", "a", "", "b:c,d,e"),
    ("python", "from a import b \\\n    as c", "a", "", "b:c"),
    ("python", "import a.b, c as d", "a.b", "", ":a.b"),
    ("python", "import a.b, c as d", "c", "", ":d"),
    ("python", "from .import a, b as c", ".", "", "a,b:c"),
    ("python", "from . import(a)", ".", "", "a"),
    ("python", "from importlib import a", "importlib", "", "a"),
    ("python", "from . import *", ".", "", "*"),
    ("javascript", "import d, {a as b, c} from './x'", "./x", "", "a:b,c,default:d"),
    ("javascript", "import d, * as ns from './x'", "./x", "", "default:d,:ns"),
    ("javascript", "import {\n  a, // one\n  b,\n} from './x'", "./x", "", "a,b"),
    ("javascript", "import './x'", "./x", "", ""),
    ("javascript", "require('x')", "x", "const {a, b: c} = ", "a,b:c"),
    ("javascript", "require('x')", "x", "const x = ", ":x"),
    ("javascript", "require('x')", "x", "const x = await ", ":x"),
    ("javascript", "require('x')", "x", "  ", ""),
    ("javascript", "require('x').part;", "x", "const a = ", "part:a"),
    ("javascript", "require('x').part, b = 1", "x", "const a = ", "part:a"),
    ("javascript", "require('x')(config);", "x", "const a = ", ""),
    ("javascript", "require('x').part();", "x", "const a = ", ""),
    ("javascript", "require('x').part;", "x", "const { a } = ", ""),
    ("typescript", "import type {T, type U as V} from 'x'", "x", "", "T,U:V"),
    ("typescript", "import type X from 'x'", "x", "", "default:X"),
    ("typescript", "import type from 'x'", "x", "", "default:type"),
    ("typescript", "export * from './x'", "./x", "", "*"),
    ("typescript", "export * as q from './x'", "./x", "", ":q"),
    ("tsx", "export {a as default} from './x'", "./x", "", "a:default"),
    ("typescript", "import x = require('y')", "y", "", ":x"),
    ("go", '"github.com/a/go-b/v2"', "github.com/a/go-b/v2", "", ":b"),
    ("go", '"gopkg.in/yaml.v3"', "gopkg.in/yaml.v3", "", ":yaml"),
    ("go", 'x "a/b"', "a/b", "", ":x"),
    ("go", '. "a/b"', "a/b", "", "*"),
    ("go", '_ "a/b"', "a/b", "", ""),
    ("rust", "", "crate::a::{b, c::d as e, f::{self, G}, h::*}", "", "b,c.d:e,f,f.G:G,h.*:*"),
    ("rust", "", "std::fmt", "", ":fmt"),
    ("rust", "", "a::B as C", "", ":C"),
    ("rust", "", "a::Trait as _", "", ""),
    ("rust", "", "a::*", "", "*"),
    ("java", "import a.b.C;", "a.b.C", "", ":C"),
    ("java", "import static a.b.C.*;", "a.b.C", "", "*"),
    ("kotlin", "import a.b.C as D", "a.b.C", "", ":D"),
    ("scala", "import a.b.{C => D, E, _}", "a.b", "", "C:D,E,*"),
    ("csharp", "using X = A.B;", "A.B", "", ":X"),
    ("csharp", "using A.B;", "A.B", "", "*"),
    ("php", r"use A\B\C as D, E\F;", r"A\B\C", "", ":D"),
    ("php", r"use A\B\C as D, E\F;", r"E\F", "", ":F"),
    ("php", r"use A\{B, C as D};", "A", "", "B,C:D"),
    ("php", "require 'x.php'", "x.php", "", "*"),
    ("dart", "import 'a.dart' as b;", "a.dart", "", ":b"),
    ("dart", "import 'a.dart' show b, c;", "a.dart", "", "b,c"),
    ("elixir", "alias A.B, as: C", "A.B", "", ":C"),
    ("elixir", "alias A.{B, C}", "A", "", "B,C"),
    ("elixir", "import A.B", "A.B", "", "*"),
    ("lua", "require('x')", "x", "local m = ", ":m"),
    ("haskell", "import qualified Data.Map as M", "Data.Map", "", ":M"),
    ("haskell", "import A (b, C(..))", "A", "", ":A,b,C"),
    ("c", '#include "a.h"', "a.h", "", "*"),
    ("markdown", "", "x", "", ""),
]


@pytest.mark.parametrize(("language", "statement", "source", "before", "expected"), CASES)
def test_a_statement_binds(language: str, statement: str, source: str, before: str, expected: str) -> None:
    found = bindings_of(language, statement, source, before)
    assert packed(found) == expected
    assert unpacked(packed(found)) == found


@pytest.mark.slow
@given(
    st.sampled_from(RULED),
    st.text(max_size=60),
    st.text(max_size=20),
    st.text(max_size=20),
)
def test_no_text_is_too_odd(language: str, statement: str, source: str, before: str) -> None:
    assert all(isinstance(each, Binding) for each in bindings_of(language, statement, source, before))


def test_what_is_unpacked_is_what_was_packed() -> None:
    bindings = (Binding("", "a.b"), Binding("c", "c"), Binding("d", "e"), Binding("*", "*"))
    assert unpacked(packed(bindings)) == bindings
    assert unpacked("") == ()
