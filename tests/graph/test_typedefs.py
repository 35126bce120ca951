"""A type of C that another name is given to is one thing under both; a chain of a builder keeps its type."""

from pathlib import Path

import pytest

from tests.graph.worlds import places, resolver_of, uses

_HEADER = """typedef struct s t;
struct s { int f; };
typedef struct w w;
struct w { int f; };
"""
_BODY = """#include "a.h"
void g(t *p, w *r) {
    p->f = 1;
    r->f = 2;
    t own;
    own.f = 3;
}
"""
_JAVA = """class X {
  static Builder builder() { return new Builder(); }
  static class Builder {
    Builder a() { return this; }
    X build() { return new X(); }
  }
}
class Y { Y a() { return this; } Object build() { return null; } }
class Z { Object f() { return X.builder().a()
    .a().build(); } }
"""


@pytest.mark.slow
@pytest.mark.parametrize("path", ["a.c", "a.cpp"])
def test_a_struct_has_its_members_under_the_name_of_a_typedef(folder: Path, path: str) -> None:
    with resolver_of(folder, {"a.h": _HEADER, path: _BODY}) as resolver:
        assert places(uses(resolver, "s.f")) == [f"{path}:3:7 proven write", f"{path}:6:8 proven write"]
        assert places(uses(resolver, "w.f")) == [f"{path}:4:7 proven write"]


def test_a_chain_of_a_builder_keeps_its_type(folder: Path) -> None:
    with resolver_of(folder, {"X.java": _JAVA}) as resolver:
        assert places(uses(resolver, "Builder.a")) == ["X.java:9:42 proven call", "X.java:10:5 proven call"]
        assert places(uses(resolver, "Builder.build")) == ["X.java:10:9 proven call"]
        assert places(uses(resolver, "Y.a")) == []
