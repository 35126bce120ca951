"""Who is derived from whom, in the languages that have it: heads, joins, interfaces that nobody names."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from cairn.graph.calls import Limits, call_graph
from cairn.graph.hierarchy import Hierarchy, hierarchy
from cairn.graph.members import bases_of
from cairn.graph.references import find_uses
from tests.graph.worlds import Files, one, resolver_of

MAKER = "package p;\n\npublic interface Maker<T> {\n    T make();\n}\n"
NINE = {
    "p/Maker.java": MAKER,
    "p/A.java": "package p;\n\npublic class A implements Maker<String> {\n    public String make() { return null; }\n"
    "    static class Maker {}\n}\n",
    "q/B.java": "package q;\n\npublic final class B<T extends Comparable<T>>\n    extends Object\n"
    "    implements p.Maker<T>,\n        Runnable {\n    public T make() { return null; }\n}\n",
    "q/C.java": "package q;\n\nimport p.Maker;\n\npublic enum C implements Maker<C> {\n    X;\n"
    "    public C make() { return X; }\n}\n",
    "q/D.java": "package q;\n\nimport p.*;\n\nrecord D(int a) implements Maker<D> {\n"
    "    public D make() { return this; }\n}\n",
    "q/E.java": "package q;\n\nclass E {\n    static class Inner implements p.Maker<Inner> {\n"
    "        public Inner make() { return this; }\n    }\n    interface Maker {}\n}\n",
    "q/F.java": "package q;\n\ninterface F<T> extends p.Maker<java.util.Map<String, T>> {}\n",
    "q/G.java": "package q;\n\nimport p.Maker;\n\nabstract class G<T> implements java.io.Serializable, Maker<T> {}\n",
    "q/H.java": "package q;\n\nclass H extends G<String> {\n    public String make() { return null; }\n}\n",
    "q/I.java": 'package q;\n\nimport p.Maker;\n\n@Deprecated(since = "1")\nclass I implements Maker<I> {\n'
    "    public I make() { return this; }\n    class Maker<T> {}\n}\n",
    "q/Other.java": "package q;\n\nclass Other {\n    interface Maker {}\n    class Not implements Maker {}\n}\n",
}


def told(found: Hierarchy) -> list[str]:
    names = {node.id: node.name for node in found.nodes}
    return [f"{names[each.source]} {each.relation} {names[each.target]} {each.tier}" for each in found.edges]


def test_every_way_to_implement_an_interface_of_java_is_found(folder: Path) -> None:
    with resolver_of(folder, NINE) as resolver:
        down = hierarchy(resolver, [one(resolver, "Maker", "p/Maker.java")], "down", 100)
        names = {node.id: node.name for node in down.nodes}
        assert sorted(names[each.source] for each in down.edges) == ["A", "B", "C", "D", "E.Inner", "F", "G", "H", "I"]
        assert {names[each.source] for each in down.edges if each.tier != "proven"} <= {"D"}
        # Members are in scope in the body alone.
        nested = hierarchy(resolver, [one(resolver, "Other.Maker")], "both", 100)
        assert told(nested) == ["Other.Not implements Other.Maker proven"]
        made = hierarchy(resolver, [one(resolver, "Maker.make", "p/Maker.java")], "down", 100)
        assert sorted(row.split()[0] for row in told(made)) == [
            f"{each}.make" for each in ("A", "B", "C", "D", "E.Inner", "H", "I")
        ]


PYTHON = {
    "a.py": "from typing import Protocol\n\n\nclass Step(Protocol):\n    def advance(self) -> None: ...\n\n\n"
    "class Base:\n"
    "    def advance(self):\n        pass\n\n    def run(self):\n        self.advance()\n",
    "b.py": "from a import Base as B, Step\n\n\nclass One(\n    B,\n):\n    def advance(self):\n        pass\n\n\n"
    "class Duck:\n    def advance(self): ...\n\n\ndef use(s: Step, b: B):\n    s.advance()\n    b.advance()\n",
}
TYPESCRIPT = {
    "a.ts": "export interface Step { advance(): void; }\nexport abstract class Base implements Step {\n"
    "  abstract advance(): void;\n  run() { this.advance(); }\n}\n",
    "b.ts": 'import { Base, Step } from "./a";\nexport class One extends Base {\n  advance() {}\n}\n'
    "export function use(s: Step, b: Base) {\n  s.advance();\n  b.advance();\n}\n",
}
JAVA = {
    "p/Step.java": "package p;\n\npublic interface Step {\n    void advance();\n}\n",
    "p/Base.java": "package p;\n\npublic abstract class Base implements Step {\n    void run() { advance(); }\n}\n",
    "q/One.java": "package q;\n\nclass One extends p.Base {\n    public void advance() {}\n}\n",
    "q/Use.java": "package q;\n\nimport p.Base;\nimport p.Step;\n\nclass Use {\n    void use(Step s, Base b) {\n"
    "        s.advance();\n        b.advance();\n    }\n}\n",
}
GO = {
    "go.mod": "module ex.com/m\n",
    "a/a.go": "package a\n\ntype Step interface {\n\tAdvance(n int) error\n\tStop()\n}\n\ntype Wide interface {\n"
    "\tStep\n"
    "\tMore()\n}\n\ntype Base struct{}\n\nfunc (b *Base) Stop() {}\n",
    "a/one.go": "package a\n\ntype One struct {\n\tBase\n\tn int\n}\n\n"
    "func (o *One) Advance(n int) error { return nil }\n\n"
    "type Other struct{}\n\nfunc (o Other) Advance() {}\nfunc (o Other) Stop()    {}\n",
    "b/b.go": 'package b\n\nimport "ex.com/m/a"\n\nfunc Use(s a.Step) {\n\ts.Advance(1)\n}\n',
}
RUST = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": "pub mod a;\npub mod b;\n",
    "src/a.rs": "pub trait Step: Send {\n    fn advance(&self);\n    fn twice(&self) { self.advance(); }\n}\n"
    "pub struct One;\n",
    "src/b.rs": "use crate::a::{One, Step};\n\npub struct Two<T> { t: T }\nimpl Step for One {\n"
    "    fn advance(&self) {}\n}\n"
    "impl<T: Fn(u8) -> Vec<u8>> Step for Two<T>\nwhere\n    T: Send,\n{\n    fn advance(&self) {}\n}\n"
    "pub fn use_it(s: &dyn Step) {\n    s.advance();\n}\n",
}
CSHARP = {
    "a.cs": "namespace N;\npublic interface IStep { void Advance(); }\n"
    "public abstract class Base<T> : IStep where T : class {\n"
    "    public abstract void Advance();\n    public void Run() { Advance(); }\n}\n",
    "b.cs": "namespace N;\npublic class One\n    : Base<string>, System.IDisposable\n{\n"
    "    public override void Advance() {}\n}\n"
    "class Use { void F(IStep s) { s.Advance(); } }\n",
}
CPP = {
    "a.h": "#pragma once\nnamespace n {\nclass Base {\npublic:\n    virtual void advance() = 0;\n"
    "    void run() { this->advance(); }\n};\nclass One : public Base {\npublic:\n    void advance() override;\n};\n"
    "}\n",
    "a.cpp": '#include "a.h"\nnamespace n {\nvoid One::advance() {}\n}\nvoid use(n::Base& b) { b.advance(); }\n',
}
KOTLIN = {
    "a.kt": "interface Step { fun advance() }\nabstract class Base(val n: Int) : Step {\n"
    "    fun run() { advance() }\n}\n",
    "b.kt": "class One(n: Int) :\n    Base(n),\n    Step {\n    override fun advance() {}\n}\n"
    "fun use(s: Step) { s.advance() }\n",
}
DISPATCHED: Mapping[str, tuple[Files, str, frozenset[str]]] = {
    "python": (PYTHON, "One.advance", frozenset({"Base.run", "use"})),
    "typescript": (TYPESCRIPT, "One.advance", frozenset({"Base.run", "use"})),
    "java": (JAVA, "One.advance", frozenset({"Base.run", "Use.use"})),
    "go": (GO, "One.Advance", frozenset({"Use"})),
    "rust": (RUST, "Two.advance", frozenset({"Step.twice", "use_it"})),
    "csharp": (CSHARP, "One.Advance", frozenset({"Base.Run", "Use.F"})),
    "cpp": (CPP, "n.One.advance", frozenset({"n.Base.run", "use"})),
    "kotlin": (KOTLIN, "One.advance", frozenset({"Base.run", "use"})),
}


@pytest.mark.sampled
@pytest.mark.requirement("REF.21")
@pytest.mark.parametrize("language", sorted(DISPATCHED))
def test_a_call_through_what_is_above_is_told_below_as_dispatch(folder: Path, language: str) -> None:
    files, name, expected = DISPATCHED[language]
    with resolver_of(folder, files) as resolver:
        path = "a.cpp" if language == "cpp" else None
        item = one(resolver, name, path)
        callers = call_graph(resolver, [item], "callers", Limits())
        names = {node.id: node.name for node in callers.nodes}
        assert {names[each.source] for each in callers.calls} == expected
        assert all((each.tier, each.dispatch) == ("likely", True) for each in callers.calls)
        calls = [use for use in find_uses(resolver, [item]).items if use.role == "call" and use.target is not None]
        assert {use.within for use in calls} == expected
        assert all((use.tier, use.dispatch) == ("likely", True) for use in calls)
        for use in calls:
            caller = one(resolver, use.within)
            callees = call_graph(resolver, [caller], "callees", Limits())
            ends = {node.id: (node.path, node.line) for node in callees.nodes}
            (edge,) = [each for each in callees.calls if ends[each.target] == (item.path, item.symbol.start_line)]
            assert (edge.tier, edge.dispatch) == ("likely", True)


RELATED: Mapping[str, tuple[Files, str, list[str]]] = {
    "python": (PYTHON, "Base", ["One extends Base proven", "Base satisfies Step likely"]),
    "typescript": (TYPESCRIPT, "Base", ["One extends Base proven", "Base implements Step proven"]),
    "java": (JAVA, "Base", ["One extends Base proven", "Base implements Step proven"]),
    "go": (GO, "Step", ["Wide extends Step proven", "One satisfies Step likely"]),
    "rust": (RUST, "Step", ["One implements Step proven", "Two implements Step proven"]),
    "csharp": (CSHARP, "Base", ["One extends Base likely", "Base implements IStep proven"]),
    "cpp": (CPP, "n.Base", ["n.One extends n.Base proven"]),
    "kotlin": (KOTLIN, "One", ["One extends Base proven", "Base implements Step proven", "One implements Step proven"]),
}


@pytest.mark.parametrize("language", sorted(RELATED))
def test_what_is_above_and_below_a_type_and_its_members(folder: Path, language: str) -> None:
    files, name, expected = RELATED[language]
    with resolver_of(folder, files) as resolver:
        assert sorted(told(hierarchy(resolver, [one(resolver, name)], "both", 100))) == sorted(expected)
        _, member, _ = DISPATCHED[language]
        up = hierarchy(resolver, [one(resolver, member, "a.cpp" if language == "cpp" else None)], "up", 100)
        assert told(up), "it stands in the place of something"
        assert all(row.split()[1] in ("implements", "overrides", "satisfies") for row in told(up))


OTHERS: Mapping[str, tuple[Files, str, list[str]]] = {
    "swift": (
        {"a.swift": "protocol Step { func go() }\nstruct S {}\nextension S: Step {\n  func go() {}\n}\n"},
        "Step",
        ["S implements Step proven"],
    ),
    "php": (
        {"a.php": "<?php\nnamespace N;\ntrait T { public function go() {} }\nclass One {\n  use T;\n}\n"},
        "T",
        ["One implements T proven"],
    ),
    "ruby": (
        {"a.rb": "module Mix\n  def go; end\nend\n\nclass Two\n  include Mix\nend\n"},
        "Mix",
        ["Two extends Mix proven"],
    ),
    "dart": (
        {
            "a.dart": "class Base { void go() {} }\nmixin Mix on Base { void go() {} }\n"
            "class One extends Base with Mix {}\n"
        },
        "Base",
        ["Mix extends Base proven", "One extends Base proven", "One implements Mix proven"],
    ),
    "scala": (
        {"a.scala": "trait Step { def go(): Unit }\nobject O extends Step { def go() = {} }\n"},
        "Step",
        ["O implements Step proven"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(OTHERS))
def test_what_a_type_takes_in_beside_its_head(folder: Path, language: str) -> None:
    files, name, expected = OTHERS[language]
    with resolver_of(folder, files) as resolver:
        assert sorted(told(hierarchy(resolver, [one(resolver, name)], "down", 100))) == sorted(expected)


def test_a_go_type_that_lacks_a_method_or_has_another_shape_satisfies_nothing(folder: Path) -> None:
    with resolver_of(folder, GO) as resolver:
        found = told(hierarchy(resolver, [one(resolver, "Step")], "down", 100))
        assert not [row for row in found if row.startswith(("Other", "Base"))]
        assert told(hierarchy(resolver, [one(resolver, "Base")], "both", 100)) == ["One embeds Base proven"]
        # What embeds another is not what a value of that other may be.
        assert told(hierarchy(resolver, [one(resolver, "Base.Stop")], "down", 100)) == []


def test_limits_and_open_ends_are_told(folder: Path) -> None:
    files = {
        "a.py": "import lib\n\n\nclass Base(lib.Far):\n    pass\n\n\n"
        + "".join(f"class C{at}(Base):\n    pass\n\n\n" for at in range(5)),
        "b.py": "from elsewhere import Base\n\n\nclass Unclear(Base):\n    pass\n\n\ndef alone():\n    pass\n",
    }
    with resolver_of(folder, files) as resolver:
        base = one(resolver, "Base")
        found = hierarchy(resolver, [base], "both", 3)
        assert (len(found.nodes), found.limits_hit) == (3, ("nodes",))
        whole = hierarchy(resolver, [base], "both", 100)
        assert (len(whole.edges), whole.limits_hit, whole.unresolved) == (5, (), 1)
        assert [each.name for each in whole.unknown] == ["lib.Far"]
        there = hierarchy(resolver, [base], "both", 100, lambda path: path != "a.py")
        assert not there.edges
        assert not hierarchy(resolver, [one(resolver, "alone")], "both", 100).edges


def test_heads_are_read_without_the_bounds_of_what_a_type_is_given() -> None:
    assert bases_of("csharp", "class A<T> where T : class") == ()
    assert bases_of("rust", "pub struct A<T> where T: Send") == ()
    assert bases_of("rust", "pub trait A<T>: B<T> + c::D where T: Send") == ("B", "c.D")
    assert bases_of("typescript", "class A extends mixin(B, C) implements D") == ("mixin", "D")
    assert bases_of("dart", "mixin class M") == ()
    assert bases_of("c", "class One : public Base") == ("Base",)


def test_an_impl_in_a_module_is_that_of_the_type_beside_it(folder: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "pub trait Step {\n    fn advance(&self);\n}\npub mod inner {\n    use super::Step;\n"
        "    pub struct Deep<F>(pub F);\n    impl<F> Step for Deep<F> {\n        fn advance(&self) {}\n    }\n}\n"
        "pub fn go(s: &dyn Step) {\n    s.advance();\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        found = hierarchy(resolver, [one(resolver, "Step.advance")], "down", 100)
        assert told(found) == ["Deep.advance implements Step.advance proven"]
        (use,) = find_uses(resolver, [one(resolver, "Deep.advance")]).items
        assert (use.within, use.tier, use.dispatch) == ("go", "likely", True)


def test_parts_of_a_type_name_bases_together(folder: Path) -> None:
    files = {
        "a.cs": "namespace N;\npublic interface IA {}\npublic interface IB {}\npublic partial class P : IA {}\n",
        "b.cs": "namespace N;\npublic partial class P : IB {}\npublic class Q : P {}\n",
    }
    with resolver_of(folder, files) as resolver:
        part = next(each for each in resolver.world.namesakes("P") if each.path == "b.cs")
        found = hierarchy(resolver, [part], "both", 100)
        rows = [row.rpartition(" ")[0] for row in told(found)]
        assert sorted(rows) == ["P implements IA", "P implements IB", "Q extends P"]
        (node,) = [each for each in found.nodes if each.name == "P"]
        assert len(node.places) == 1


def test_what_embeds_a_type_of_go_overrides_nothing_of_it(folder: Path) -> None:
    files = {
        "go.mod": "module m\n",
        "a.go": "package m\n\ntype Base struct{}\n\nfunc (b Base) Go() {}\n\ntype Outer struct {\n\tBase\n}\n\n"
        "func (o Outer) Go() {}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert told(hierarchy(resolver, [one(resolver, "Base")], "down", 9)) == ["Outer embeds Base proven"]
        assert told(hierarchy(resolver, [one(resolver, "Base.Go")], "both", 9)) == []


def test_an_interface_is_kept_by_methods_that_take_and_give_as_much(folder: Path) -> None:
    files = {
        "go.mod": "module m\n",
        "a.go": "package m\n\ntype Walker interface {\n\tWalk(f func(a, b int), c string) error\n}\n\n"
        "type Fit struct{}\n\nfunc (x Fit) Walk(g func(a, b int), d string) error { return nil }\n\n"
        "type Few struct{}\n\nfunc (x Few) Walk(g func(a, b int)) error { return nil }\n\n"
        "type Mute struct{}\n\nfunc (x Mute) Walk(g func(a, b int), d string) {}\n\n"
        "type Closer interface {\n\tClose() error\n}\n\ntype Door struct{}\n\n"
        "func (d Door) Close() error { return nil }\n",
        "b.py": "from typing import Protocol\n\n\nclass Shut(Protocol):\n    def close(self): ...\n"
        "    def __call__(self): ...\n\n\nclass File:\n    def close(self): ...\n    def __call__(self): ...\n",
    }
    with resolver_of(folder, files) as resolver:
        assert told(hierarchy(resolver, [one(resolver, "Walker")], "down", 9)) == ["Fit satisfies Walker likely"]
        # Any value may well have what these ask for.
        assert told(hierarchy(resolver, [one(resolver, "Shut")], "down", 9)) == []


def test_an_implementation_is_told_where_it_is_written_and_for_what_is_not_defined_here(folder: Path) -> None:
    files = {
        "Cargo.toml": "[package]\nname = 'k'\n",
        "src/lib.rs": "pub mod a;\npub mod b;\n",
        "src/a.rs": "pub trait Step {}\npub struct One;\nimpl<S: Step> Step for &S {}\n"
        "impl<S: Step> Step for Box<S> {}\n",
        "src/b.rs": "use crate::a::{One, Step};\n\nimpl Step for One {}\ntrait Other {}\nimpl Other for Vec<u8> {}\n",
    }
    with resolver_of(folder, files) as resolver:
        down = hierarchy(resolver, [one(resolver, "Step", "src/a.rs")], "down", 100)
        assert [(each.path, each.line) for each in down.edges] == [("src/b.rs", 3)]
        assert [(each.path, each.line, each.text) for each in down.foreign] == [
            ("src/a.rs", 3, "impl<S: Step> Step for &S {}"),
            ("src/a.rs", 4, "impl<S: Step> Step for Box<S> {}"),
        ]
        assert {each.id for each in down.foreign} == set(down.roots)
        up = hierarchy(resolver, [one(resolver, "One", "src/a.rs")], "up", 100)
        assert [(each.path, each.line, each.relation) for each in up.edges] == [("src/b.rs", 3, "implements")]
        assert not up.foreign
