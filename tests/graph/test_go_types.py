"""Types of Go that a place knows: by the case of a type switch, and from where a local one is declared on."""

from pathlib import Path

from tests.graph.worlds import places, resolver_of, uses

_SWITCH = """package a

type A struct{}

func (a A) Go() {}

type B struct{ A }

type C struct{}

func (c *C) Go() {}

func f(x interface{}) {
	switch v := x.(type) {
	case A:
		v.Go()
	case B:
		v.Go()
	case *C:
		v.Go()
	case A, *C:
		v.Go()
	default:
		v.Go()
	}
}
"""
_LATE = """package a

type T struct{}

func f() {
	var x T
	type T struct{ next *T }
	var y T
}
"""


def test_a_type_switch_gives_its_variable_the_type_of_the_case(folder: Path) -> None:
    with resolver_of(folder, {"a.go": _SWITCH}) as resolver:
        assert places(uses(resolver, "A.Go")) == [
            "a.go:16:4 proven call",
            "a.go:18:4 proven call",
            "a.go:22:4 name call",
            "a.go:24:4 name call",
        ]
        assert places(uses(resolver, "C.Go")) == ["a.go:20:4 proven call", "a.go:22:4 name call", "a.go:24:4 name call"]


def test_a_local_type_is_seen_from_its_name_on(folder: Path) -> None:
    with resolver_of(folder, {"a.go": _LATE}) as resolver:
        found = uses(resolver, "T")
        local = [item.line for item in found.items if item.target is not None and item.target.symbol.container == "f"]
        assert local == [7, 8]
        assert places(found)[0] == "a.go:6:7 name type"
