"""Names that one place or one package defines more than once."""

from pathlib import Path

import pytest

from cairn.graph.calls import CALLEES, CALLERS, Limits, call_graph
from cairn.graph.symbols import find_definitions
from tests.graph.worlds import calls, places, resolver_of, told, uses

GO = {
    "go.mod": "module m\n",
    "p/a.go": "package p\n\nfunc A() {\n\tshared()\n\tonTag()\n\tonlyTest()\n\tgenerated()\n}\n",
    "p/b.go": "// Package main is not this one.\n/*\npackage main\n*/\npackage p\n\nfunc shared() {}\n",
    "p/x_linux.go": "package p\n\nfunc onTag() {}\nconst sep = 1\n",
    "p/x_windows.go": "package p\n\nfunc onTag() {}\nconst sep = 2\n",
    "p/gen.go": "package main\n\nfunc shared() {}\nfunc generated() {}\nfunc A() {}\n",
    "p/in_test.go": "package p\n\nfunc onlyTest() {\n\tshared()\n}\nfunc helped() {\n\tonlyTest()\n}\n",
    "p/out_test.go": "package p_test\n\nfunc outer() {\n\tshared()\n}\n",
    "q/q.go": 'package q\n\nimport "m/p"\n\nfunc Q() {\n\tp.A()\n}\n',
}


def test_go_files_see_those_of_their_own_package_clause(folder: Path) -> None:
    with resolver_of(folder, GO) as resolver:
        assert calls(resolver, "p/a.go") == {
            "4:shared": "proven p/b.go:shared",
            "5:onTag": "likely p/x_linux.go:onTag p/x_windows.go:onTag",
            "6:onlyTest": "outside",
            "7:generated": "outside",
        }
        assert calls(resolver, "p/in_test.go") == {
            "4:shared": "proven p/b.go:shared",
            "7:onlyTest": "proven p/in_test.go:onlyTest",
        }
        assert calls(resolver, "p/out_test.go") == {"4:shared": "outside"}
        assert calls(resolver, "q/q.go") == {"6:p.A": "proven p/a.go:A"}
        assert places(uses(resolver, "shared", "p/gen.go")) == []
        assert told(resolver.top("p/a.go", "sep")) == "likely p/x_linux.go:sep p/x_windows.go:sep"


def test_go_methods_for_several_systems_are_all_likely(folder: Path) -> None:
    files = {
        "t.go": "package p\n\ntype T struct{}\n\nfunc f(t T) {\n\tt.Open()\n\tt.Once()\n}\n",
        "t_linux.go": "package p\n\nfunc (t T) Open() {}\nfunc (t T) Once() {}\n",
        "t_windows.go": "package p\n\nfunc (t T) Open() {}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "t.go") == {
            "6:t.Open": "likely t_linux.go:T.Open t_windows.go:T.Open",
            "7:t.Once": "proven t_linux.go:T.Once",
        }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "call"),
    [
        ("A.java", "class A {\n  int over(int a) { return 1; }\n  int over(String a) { return 2; }\n"
         "  void go() { over(1); }\n}\n", "over"),
        ("a.rs", "struct S;\nimpl S {\n    fn over(&self) {}\n    fn go(&self) { self.over(); }\n}\n"
         "impl Tr for S {\n    fn over(&self) {}\n}\n", "self.over"),
        ("b.rs", "#[cfg(unix)]\nfn over() {}\n#[cfg(windows)]\nfn over() {}\nfn go() {\n    over();\n}\n", "over"),
        ("a.c", "#ifdef A\nint over(void) { return 1; }\n#else\nint over(void) { return 2; }\n#endif\n"
         "int go(void) { return over(); }\n", "over"),
        ("a.cpp", "struct A { int over(int a); int over(char a); int go(); };\nint A::over(int a) { return 1; }\n"
         "int A::over(char a) { return 2; }\nint A::go() { return over(1); }\n", "over"),
        ("a.kt", "fun over(a: Int) {}\nfun over(a: String) {}\nfun go() {\n    over(1)\n}\n", "over"),
        ("a.py", "try:\n    def over():\n        pass\nexcept E:\n    def over():\n        pass\n"
         "def go():\n    over()\n", "over"),
    ],
)  # fmt: skip
def test_of_several_things_of_one_name_each_is_likely(folder: Path, path: str, text: str, call: str) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        assert {told.partition(" ")[0] for key, told in calls(resolver, path).items() if key.endswith(f":{call}")} == {
            "likely"
        }
        found = find_definitions(resolver.world.view, "over")
        bodies = [item for item in found if "{" in item.symbol.signature or not item.symbol.signature.endswith(";")]
        for item in bodies[-2:]:
            graph = call_graph(resolver, [item], CALLERS, Limits())
            assert [each.tier for each in graph.calls] == ["likely"], item
        caller = find_definitions(resolver.world.view, "go")[-1]
        graph = call_graph(resolver, [caller], CALLEES, Limits())
        shown = {node.line for node in graph.nodes if node.depth}
        assert {item.symbol.name_line for item in bodies[-2:]} <= shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.c", "int one(void);\nint one(void) { return 1; }\nint go(void) { return one(); }\n"),
        ("a.ts", "function one(a: string): void;\nfunction one(a: any) {}\nfunction go() { one(1); }\n"),
        ("a.py", "@overload\ndef one(a: int): ...\n@overload\ndef one(a: str): ...\ndef one(a):\n    pass\none(1)\n"),
    ],
)
def test_a_declaration_and_its_body_are_one_thing(folder: Path, path: str, text: str) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        assert set(calls(resolver, path).values()) == {f"proven {path}:one"}


@pytest.mark.slow
def test_the_last_definition_of_python_replaces_those_before_it(folder: Path) -> None:
    text = "def dup(a):\n    pass\n\n\ndef dup(a, b):\n    pass\n\n\ndef go():\n    dup(1, 2)\n"
    with resolver_of(folder, {"a.py": text}) as resolver:
        first, last = find_definitions(resolver.world.view, "dup")
        assert [each.tier for each in call_graph(resolver, [last], CALLERS, Limits()).calls] == ["proven"]
        assert call_graph(resolver, [first], CALLERS, Limits()).calls == ()
        callees = call_graph(resolver, find_definitions(resolver.world.view, "go"), CALLEES, Limits())
        assert [node.line for node in callees.nodes if node.depth] == [5]


@pytest.mark.slow
def test_a_setter_is_a_part_of_its_property(folder: Path) -> None:
    text = (
        "class A:\n    @property\n    def size(self):\n        return 1\n\n    @size.setter\n    def size(self, to):\n"
        "        pass\n\n    def go(self):\n        return self.size\n"
    )
    with resolver_of(folder, {"a.py": text}) as resolver:
        for item in find_definitions(resolver.world.view, "size"):
            found = uses(resolver, "size")
            assert places(found)[-1] == "a.py:11:20 proven read", item
