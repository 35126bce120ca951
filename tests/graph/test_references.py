"""Uses: the right places, no comments, no strings, and honest counts of the rest."""

from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.graph.calls import CALLERS, Limits, call_graph
from cairn.graph.callsites import call_sites_of
from cairn.graph.references import find_uses, with_lines
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, find_definitions
from cairn.graph.world import World
from tests.graph.worlds import calls, one, places, resolver_of, uses
from tests.trees import Repo, write


@pytest.mark.slow
def test_every_use_has_its_place_and_none_is_in_comments_or_strings(folder: Path) -> None:
    files = {
        "m.py": "def drop():\n    return drop\n",
        "u.py": 'from m import drop as d, drop\n\n# drop()\ns = "drop() d"\n\n\ndef f(drop):\n    drop()\n\n\n'
        "def g():\n    é = drop(); d()\n    f(drop=1)\n    x.drop()\n    return f'{drop()}'\n",
    }
    with resolver_of(folder, files) as resolver:
        found = uses(resolver, "drop")
        assert places(found) == [
            "m.py:2:11 proven read",
            "u.py:1:14 proven import",
            "u.py:1:25 proven import",
            "u.py:12:9 proven call",
            "u.py:12:17 proven call",
            "u.py:14:6 name call",
            "u.py:15:14 proven call",
        ]
        assert [item.name for item in found.items if item.line == 12] == ["drop", "d"]
        assert with_lines(resolver.world, found.items)[3].text == "é = drop(); d()"
        assert found.items[3].within == "g"
        assert {item.target for item in found.items if item.tier != "name"} == {one(resolver, "drop")}
        # A parameter, its use, and the name of an argument; what is asked of something may be a module's.
        assert (found.elsewhere, found.unresolved) == (3, 1)
        assert found.tiers == {"proven": 6, "name": 1}


@pytest.mark.slow
def test_uses_are_found_under_the_names_that_reexports_give(folder: Path) -> None:
    files = {
        "pkg/__init__.py": "from .core import Lease as Held\n",
        "pkg/core.py": "class Lease:\n    pass\n",
        "pkg/more.py": "from pkg import Held as H2\n",
        "a.py": "from pkg import Held\n\nHeld()\n",
        "b.py": "from pkg.more import H2\n\nH2()\n",
        "c.py": "class Held:\n    pass\n\n\nHeld()\n",
        "src/w.ts": "export default class Widget {}\n",
        "src/u.ts": "import Other from './w';\nnew Other();\n",
    }
    with resolver_of(folder, files) as resolver:
        found = uses(resolver, "Lease")
        assert [place for place in places(found) if place.endswith("call")] == [
            "a.py:3:0 proven call",
            "b.py:3:0 proven call",
        ]
        assert found.elsewhere == 0
        assert places(uses(resolver, "Widget")) == ["src/u.ts:1:7 proven import", "src/u.ts:2:4 proven call"]


def test_a_name_in_an_import_is_that_of_its_own_statement(folder: Path) -> None:
    files = {
        "m.py": "def drop():\n    pass\n",
        "n.py": "def drop():\n    pass\n",
        "drop.py": "x = 1\n",
        "u.py": "from m import drop\nfrom n import drop as other\nimport drop as d\nfrom drop import x\n",
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "drop", "m.py")) == ["u.py:1:14 proven import"]
        assert places(uses(resolver, "drop", "n.py")) == ["u.py:2:14 proven import"]


def test_a_function_inside_a_function_is_used_there_alone(folder: Path) -> None:
    source = "def outer():\n    def inner():\n        inner()\n    inner()\n\n\ndef other(x):\n    inner = 1\n"
    "    x.inner()\n    return inner\n"
    with resolver_of(folder, {"a.py": source}) as resolver:
        found = uses(resolver, "inner")
        assert places(found) == ["a.py:3:8 proven call", "a.py:4:4 proven call"]
        assert found.unresolved == 0


@pytest.mark.slow
def test_members_of_unknown_values_count_as_unresolved_in_their_own_language_only(folder: Path) -> None:
    files = {
        "a.py": "class A:\n    def release_it(self):\n        pass\n\n\nclass B:\n    def release_it(self):\n"
        "        pass\n",
        "u.py": "def f(x, b: B):\n    x.release_it()\n    make().release_it()\n    release_it()\n",
        "v.py": "from a import A, B\n\n\ndef f(a: A, b: B):\n    a.release_it()\n    b.release_it()\n",
        "w.js": "function f(x) { x.release_it(); }\n",
    }
    with resolver_of(folder, files) as resolver:
        found = uses(resolver, "A.release_it")
        assert places(found) == ["u.py:2:6 name call", "u.py:3:11 name call", "v.py:5:6 proven call"]
        assert found.unresolved == 2
        assert [item.target for item in found.items][:2] == [None, None]


def test_what_is_unresolved_is_said_however_many_bear_the_name(folder: Path) -> None:
    many = "".join(f"class C{at}:\n    def common_one(self):\n        pass\n" for at in range(200))
    with resolver_of(folder, {"a.py": many, "u.py": "def f(x):\n    x.common_one()\n"}) as resolver:
        for owner in ("C0", "C199"):
            assert places(uses(resolver, f"{owner}.common_one")) == ["u.py:2:6 name call"]


def test_definitions_that_differ_by_case_are_all_asked_for(folder: Path) -> None:
    files = {"a.py": "class Lease:\n    pass\n\n\ndef lease():\n    return Lease()\n\n\nlease()\n"}
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "lease")) == ["a.py:6:11 proven call", "a.py:9:0 proven call"]


def test_letters_with_accents_are_found_in_every_way_of_writing(folder: Path) -> None:
    files = {"a.py": "def caf\u00e9():\n    pass\n\n\ncafe\u0301()\n", "b.py": "from a import cafe\u0301\n"}
    with resolver_of(folder, files) as resolver:
        assert [place[:4] for place in places(uses(resolver, "caf\u00e9"))] == ["a.py", "b.py"]


def test_a_file_limit_is_said(folder: Path) -> None:
    files = {"m.py": "def drop():\n    pass\n"} | {f"u{at}.py": "from m import drop\n" for at in range(5)}
    with resolver_of(folder, files) as resolver:
        item = one(resolver, "drop")
        cut = find_uses(resolver, [item], max_files=3)
        assert cut.limits_hit == ("files",)
        assert {each.path for each in cut.items} == {"u0.py", "u1.py"}
        whole = find_uses(resolver, [item], max_files=6)
        assert (whole.limits_hit, len(whole.items)) == ((), 5)
        assert {each.path for each in find_uses(resolver, [item], lambda path: path != "u2.py").items}.isdisjoint(
            {"u2.py"}
        )
        assert find_uses(resolver, []).items == ()


@pytest.mark.slow
def test_uses_through_paths_and_arrows(folder: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "mod util;\nfn top() { crate::util::tool(); util::tool(); }\n",
        "src/util.rs": "pub fn tool() {}\n",
        "w.hpp": "namespace ns { class W { public: void run(); static void st(); }; }\n",
        "m.cpp": '#include "w.hpp"\nvoid f(ns::W *w) { w->run(); ns::W::st(); }\n',
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "tool")) == ["src/lib.rs:2:24 proven call", "src/lib.rs:2:38 proven call"]
        assert places(uses(resolver, "run")) == ["m.cpp:2:22 proven call"]
        assert places(uses(resolver, "st")) == ["m.cpp:2:36 proven call"]


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.001")
@pytest.mark.requirement("IGN.4")
def test_deleted_and_ignored_files_are_in_no_answer(repo: Repo) -> None:
    files = {
        "m.py": "def drop():\n    pass\n",
        "u.py": "from m import drop\n\n\ndef caller():\n    drop()\n",
        "build/made.py": "from m import drop\n\n\ndef built():\n    drop()\n",
        ".hidden/h.py": "from m import drop\n\n\ndef seen():\n    drop()\n",
        ".gitignore": "build/\n",
    }
    for path, text in files.items():
        write(repo.path, path, text)
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        assert _named(codebase) == {"m.py", "u.py", ".hidden/h.py"}
        (repo.path / "u.py").unlink()
        codebase.index()
        assert _named(codebase) == {"m.py", ".hidden/h.py"}
        with codebase.view() as view:
            world = World(view)
            resolver = Resolver(world)
            assert set(world.languages) == {file.path_key for file in view.files()}
            assert find_definitions(view, "caller") == find_definitions(view, "built") == []
            assert {path for path in world.languages if world.rows(path, "drop")} == {".hidden/h.py", "m.py"}
            assert {importer for importer, _, _ in resolver.importers["m.py"]} == {".hidden/h.py"}
            assert not world.scope("u.py").symbols
            assert not world.scope("u.py").edges


def _named(codebase: Codebase) -> set[str]:
    """Every file that answers about `drop` and the map name."""
    insight = codebase.insight
    told = {item.path for item in insight.references("drop").value.items}
    told |= {node.path for node in insight.calls("drop", "both").value.nodes}
    told |= {entry.path for entry in insight.map(10_000).value.entries}
    told |= {item.path for name in ("drop", "caller", "built") for item in insight.symbol(name).value.definitions}
    return told


@pytest.mark.slow
def test_what_a_function_without_a_name_keeps_is_used_inside_of_it_alone(folder: Path) -> None:
    source = (
        "(function (root, factory) {\n  root.lib = factory();\n})(this, function () {\n"
        "  function inner(a) { return a; }\n  var init = 1;\n"
        "  return { inner: inner, go: function () { return inner(2); } };\n});\n"
        "(() => { function init() {} init(); })();\n"
        "init();\n"
        "function other(inner) { return inner(); }\n"
    )
    with resolver_of(folder, {"lib.js": source}) as resolver:
        found = uses(resolver, "inner")
        assert places(found) == ["lib.js:6:18 proven read", "lib.js:6:50 proven call"]
        # A key, a parameter and its call.
        assert found.elsewhere == 3
        # The last is a global of someone else, or a name that a block let out.
        assert places(uses(resolver, "init")) == ["lib.js:8:28 proven call", "lib.js:9:0 name call"]


@pytest.mark.slow
def test_more_places_than_anyone_is_shown_are_said_to_be_more(folder: Path) -> None:
    files = {f"f{number}.py": "from m import f\nf()\n" for number in range(5)} | {"m.py": "def f(): pass\n"}
    with resolver_of(folder, files) as resolver:
        found = find_uses(resolver, [one(resolver, "f")], max_places=3)
        assert (len(found.items), found.limits_hit) == (4, ("places",))
        assert find_uses(resolver, [one(resolver, "f")], max_places=10).limits_hit == ()


@pytest.mark.slow
def test_what_is_bound_on_the_line_of_a_definition_is_not_the_definition(folder: Path) -> None:
    files = {
        "a.py": "class A:\n    def spans(self, spans):\n        self._spans = spans\n\n\n"
        "def f():\n    def each(): return [each for each in x]\n    return each\n",
        "a.js": "(() => { function go(go) { go(); } go(); })();\n",
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "spans")) == []
        assert places(uses(resolver, "each")) == ["a.py:8:11 proven read"]
        assert places(uses(resolver, "go")) == ["a.js:1:35 proven call"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "rebinding",
    [
        "f, g = 1, 2",
        "[f, g] = 1, 2",
        "for f in (): pass",
        "for a, f in (): pass",
        "with x as f: pass",
        "with x as (a, f): pass",
        "print(f := 1)",
        "try: pass\nexcept E as f: pass",
        "del f",
        "f += 1",
        "def s():\n    global f\n    f = 1",
        "def s():\n    global f\n    for f in (): pass",
        "import f",
    ],
)
def test_an_imported_name_that_is_bound_anew_is_likely_at_most(folder: Path, rebinding: str) -> None:
    files = {"a.py": "def f(): pass\n", "b.py": f"from a import f\n{rebinding}\nf()\n"}
    with resolver_of(folder, files) as resolver:
        found = uses(resolver, "f", "a.py")
        roles = {item.role: item.tier for item in found.items if item.line != 1}
        assert roles in ({"call": "likely"}, {"call": "likely", "read": "likely"})
        assert set(calls(resolver, "b.py").values()) <= {"likely a.py:f", "outside"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "harmless",
    ["def s(f):\n    f = 1", "class A:\n    f = 1", "[f for f in ()]", "f.x = 1", "f[0] = 1", "g(f=1)", "x = f"],
)
def test_what_binds_another_name_leaves_an_import_proven(folder: Path, harmless: str) -> None:
    files = {"a.py": "def f(): pass\n", "b.py": f"from a import f\n{harmless}\nf()\n"}
    with resolver_of(folder, files) as resolver:
        assert uses(resolver, "f", "a.py").items[-1].tier == "proven"


@pytest.mark.slow
def test_the_module_of_an_import_is_no_use_of_what_has_its_name(folder: Path) -> None:
    files = {"drop.py": "def drop(): pass\n", "u.py": "from drop import drop\ndrop()\n"}
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "drop")) == ["u.py:1:17 proven import", "u.py:2:0 proven call"]


@pytest.mark.slow
def test_what_a_package_imports_of_itself_is_the_module_below_it(folder: Path) -> None:
    files = {"pkg/__init__.py": "def sub(): pass\nfrom . import sub\n", "pkg/sub.py": "def go(): pass\n"}
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "sub", "pkg/__init__.py")) == []


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        (
            {
                "st.h": "typedef enum { ST_A, ST_B } state_t;\n",
                "a.c": '#include "st.h"\nint f(state_t s) { return s == ST_A; }\n',
                "b.c": '#include "far.h"\nint g(int s) { switch (s) { case ST_A: return 1; } return 0; }\n',
                "far.h": '#include "st.h"\n',
            },
            "ST_A",
            ["a.c:2:31 proven read", "b.c:2:33 proven read"],
        ),
        (
            {
                "u.h": "struct conn {\n  int a;\n#define IN_USE(c) ((c)->a)\n  int b;\n};\n",
                "a.c": '#include "u.h"\nint f(struct conn *c) { return !IN_USE(c); }\n',
                "b.c": '#include "far.h"\nint g(struct conn *c) { return IN_USE(c); }\n',
                "far.h": '#include "u.h"\n',
            },
            "IN_USE",
            ["a.c:2:32 proven call", "b.c:2:31 proven call"],
        ),
        (
            {
                "a.ts": "export interface Opts { on(e: number): void }\nexport function run(opts: Opts) {}\n"
                "run({ on: (e) => {} });\nrun({ on(e) {} });\nconst made: Opts = { on() {} };\n",
            },
            "Opts.on",
            ["a.ts:3:6 proven read", "a.ts:4:6 proven definition", "a.ts:5:21 proven definition"],
        ),
        (
            {"a.py": "class A:\n    size = None\n    defaults = dict(size=2)\n"},
            "A.size",
            ["a.py:3:20 name read"],
        ),
    ],
)
def test_what_was_told_as_elsewhere_is_listed(
    folder: Path, files: dict[str, str], name: str, expected: list[str]
) -> None:
    with resolver_of(folder, files) as resolver:
        found = find_uses(resolver, [one(resolver, name)])
        assert places(found) == expected
        assert found.elsewhere == 0


def test_words_in_bodies_of_macros_are_uses_and_calls(folder: Path) -> None:
    files = {
        "a.h": "void fail(int x);\n#define failf fail\n#define CHECK(fail2, c) do { if(c) fail(c); } while(0)\n",
        "a.c": '#include "a.h"\nvoid fail(int x) { }\nvoid fail2(void) { CHECK(1, 2); }\n',
    }
    with resolver_of(folder, files) as resolver:
        found = uses(resolver, "fail")
        assert places(found) == ["a.h:2:14 proven read", "a.h:3:35 proven call"]
        assert uses(resolver, "fail2").items == ()
        [called] = call_sites_of(resolver).named("fail")
        assert [(path, use.within) for path, use in called.sites] == [("a.h", "CHECK")]


def test_fields_of_go_are_definitions(folder: Path) -> None:
    files = {
        "a.go": 'package p\n\ntype S struct {\n\tF, G int `json:"f"`\n\tT\n}\n\ntype T struct{ F int }\n',
        "b.go": "package p\n\nfunc f(s *S) int { return s.F + s.T.F }\n\nvar v = S{F: 1}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "S.F")) == ["b.go:3:28 proven read", "b.go:5:10 name read"]
        assert places(uses(resolver, "T.F"))[0] == "b.go:3:36 proven read"


def test_static_functions_of_a_header_are_those_of_who_includes_it(folder: Path) -> None:
    files = {
        "a.h": "static inline int clamp(int x) { return x; }\n",
        "b.h": "static inline int clamp(int x) { return 1; }\n",
        "a.c": '#include "a.h"\nint f(void) { return clamp(3); }\n',
        "c.c": "int g(void) { return clamp(3); }\n",
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "clamp", "a.h")) == ["a.c:2:21 proven call", "c.c:1:21 name call"]
        assert places(uses(resolver, "clamp", "b.h")) == ["c.c:1:21 name call"]


def test_a_key_of_a_map_of_go_is_a_use_of_its_constant_and_never_elsewhere(folder: Path) -> None:
    files = {
        "go.mod": "module m\n",
        "a.go": 'package p\n\nimport "net/http"\n\nconst X = "x"\nconst Y = "y"\n\ntype S struct{ Y int }\n\n'
        "type M map[string]int\n\nfunc f() {\n\t_ = http.Header{X: nil}\n\t_ = M{X: 1}\n\t_ = map[string]int{X: 1}\n"
        "\t_ = M{Y: 1}\n\t_ = S{Y: 1}\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        plain = find_uses(resolver, [one(resolver, "X")])
        assert [(use.line, use.tier) for use in plain.items] == [(13, "likely"), (14, "likely"), (15, "proven")]
        assert plain.elsewhere == 0
        # Where a type has a field of that name, the name is all that is known.
        for asked in ("Y", "S.Y"):
            found = find_uses(resolver, [one(resolver, asked)])
            assert [(use.line, use.tier) for use in found.items if use.role != "definition"] == [
                (16, "name"),
                (17, "name"),
            ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.c", 'enum st { ST_A };\nconst char *names[] = { [ST_A] = "a" };\n', "ST_A"),
        ("a.swift", 'let key = "x"\nlet m = [key: 1]\n', "key"),
        ("a.dart", 'const key = "x";\nfinal m = {key: 1};\n', "key"),
        ("a.js", 'const key = "x";\nconst m = { [key]: 1 };\n', "key"),
        ("a.php", '<?php const KEY = "x";\n$m = [KEY => 1];\n', "KEY"),
        ("a.rb", 'KEY = "x"\nm = { KEY => 1 }\n', "KEY"),
        ("a.lua", 'local key = "x"\nlocal m = { [key] = 1 }\n', "key"),
        ("a.py", 'KEY = "x"\nm = {KEY: 1}\n', "KEY"),
    ],
)
def test_a_value_that_stands_as_a_key_is_a_use(folder: Path, path: str, text: str, name: str) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        found = uses(resolver, name)
        assert [(use.line, use.tier) for use in found.items] == [(2, "proven")]
        assert found.elsewhere == 0


@pytest.mark.parametrize(
    ("path", "text", "name", "line"),
    [
        ("a.ts", "const out = 1;\nout: for (;;) { continue out; }\nexport const b = out;\n", "out", 3),
        ("a.c", "int out = 1;\nint f(void) { goto out; out: return 1; }\nint g(void) { return out; }\n", "out", 3),
        ("a.go", "package p\nvar Out = 1\nfunc f() { Out: for { break Out } }\nvar b = Out\n", "Out", 4),
    ],
)
def test_a_label_is_no_use_of_what_bears_its_name(folder: Path, path: str, text: str, name: str, line: int) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        assert [(use.line, use.tier) for use in uses(resolver, name).items] == [(line, "proven")]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "A.java",
            "class A {\n  A(int v) {}\n  static A of(A a) { return new A(1); }\n}\n"
            "class C extends A { A b = new A(2); }\n",
        ),
        ("a.cs", "class A {\n  A(int v) {}\n  static A Of(A a) { return new A(1); }\n}\nclass C { A b = new A(2); }\n"),
    ],
)
def test_the_name_of_a_type_is_no_use_of_its_constructor_unless_it_is_called(
    folder: Path, path: str, text: str
) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        made = find_uses(resolver, [one(resolver, "A.A")])
        assert [(use.line, use.role, use.tier) for use in made.items] == [(3, "call", "proven"), (5, "call", "proven")]
        kinds = [(use.line, use.role) for use in find_uses(resolver, [one(resolver, "A")]).items]
        assert kinds.count((3, "type")) == 2
        assert {(3, "call"), (5, "call"), (5, "type")} <= set(kinds)


def test_which_of_several_constructors_is_called_is_likely(folder: Path) -> None:
    text = "class A {\n  A(int v) {}\n  A(String s) {}\n}\nclass B { A b = new A(2); }\n"
    with resolver_of(folder, {"A.java": text}) as resolver:
        rows = resolver.world.scope("A.java").named("A.A")
        both = [Definition("A.java", each) for each in rows if each.kind == "constructor"]
        assert [[use.tier for use in find_uses(resolver, [item]).items] for item in both] == [["likely"], ["likely"]]
        assert [use.tier for use in find_uses(resolver, both).items] == ["proven"]
        assert [edge.tier for edge in call_graph(resolver, both[:1], CALLERS, Limits()).calls] == ["likely"]


def test_uses_through_a_module_or_an_enum_of_the_same_file_of_rust(folder: Path) -> None:
    files = {
        "Cargo.toml": "[package]\nname = 'k'\n",
        "src/lib.rs": "mod inner {\n    pub fn by_name() {}\n    pub fn by_star() {}\n    pub enum E { One }\n}\n"
        "use inner::by_name;\nuse inner::*;\nuse E::*;\n\n"
        "pub fn user() {\n    by_name();\n    by_star();\n    let _ = One;\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        for name, lines in (("inner.by_name", [6, 11]), ("inner.by_star", [12]), ("inner.E.One", [13])):
            found = find_uses(resolver, [one(resolver, name)])
            assert [(use.line, use.tier) for use in found.items] == [(line, "proven") for line in lines], name
            assert found.elsewhere == 0


@pytest.mark.parametrize("name", ["pack.core.Option", "core.Option", "pack::core::Option", "Option"])
def test_a_name_may_be_asked_for_by_its_module(folder: Path, name: str) -> None:
    write(folder, "pack/core.py", "class Option:\n    def go(self):\n        pass\n")
    write(folder, "pack/other.py", "class Other:\n    pass\n")
    with Codebase(str(folder)) as codebase:
        codebase.index()
        with codebase.view() as view:
            assert [item.path for item in find_definitions(view, name)] == ["pack/core.py"]
            assert [item.path for item in find_definitions(view, f"{name}.go")] == ["pack/core.py"]
            assert find_definitions(view, "pack.other.Option") == []
        told = codebase.insight.references(name)
        assert [item.symbol.name for item in told.value.definitions] == ["Option"]
        assert not any("nothing is called" in warning for warning in told.warnings)


def test_a_crate_of_rust_may_have_its_root_anywhere(folder: Path) -> None:
    """Its paths were taken for another crate's, and its macros for names that nothing explains."""
    files = {
        "Cargo.toml": "[package]\nname = 'k'\n[[bin]]\nname = 'k'\npath = 'crates/core/main.rs'\n",
        "crates/core/main.rs": "#[macro_use]\nmod messages;\nmod flags;\n",
        "crates/core/messages.rs": "macro_rules! shout {\n    () => {}\n}\n",
        "crates/core/flags/mod.rs": "mod defs;\npub trait Flag {}\n",
        "crates/core/flags/defs.rs": "use crate::flags::Flag;\nstruct A;\nimpl Flag for A {}\nfn f() {\nshout!();\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        for name, uses in (("Flag", [(1, "proven"), (3, "proven")]), ("shout", [(5, "likely")])):
            found = find_uses(resolver, [one(resolver, name)])
            assert [(use.line, use.tier) for use in found.items] == uses, name
            assert found.elsewhere == 0


def test_a_path_of_the_crate_that_leads_nowhere_proves_nothing(folder: Path) -> None:
    files = {
        "Cargo.toml": "[package]\nname = 'k'\n",
        "src/lib.rs": "pub fn go() {}\n",
        "odd/place.rs": "use crate::made::go;\nfn user() {\n    go();\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        found = find_uses(resolver, [one(resolver, "go")])
        assert ({use.tier for use in found.items}, len(found.items), found.elsewhere) == ({"name"}, 2, 0)


def test_what_an_inner_module_of_rust_takes_from_its_file_comes_before_the_files_own_name(folder: Path) -> None:
    files = {
        "Cargo.toml": "[package]\nname = 'k'\n",
        "src/lib.rs": "mod fill;\n",
        "src/fill.rs": "pub fn fill() {}\nmod tests {\n use super::{fill};\n fn t() {\n  fill();\n }\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        found = find_uses(resolver, [one(resolver, "fill")])
        assert [use.line for use in found.items] == [3, 5]
        assert found.elsewhere == 1  # the module


def test_keys_of_a_literal_of_go_whose_type_is_left_out_are_fields(folder: Path) -> None:
    files = {
        "go.mod": "module x\n",
        "m.go": "package m\n\ntype T struct {\n\tName string\n}\n\nconst K = 1\n\n"
        'var a = []*T{{Name: "a"}}\nvar b = map[int]T{K: {Name: "b"}}\nvar c = [][]int{{K: 2}}\n',
    }
    with resolver_of(folder, files) as resolver:
        for name, lines in (("T.Name", [9, 10]), ("K", [10, 11])):
            found = find_uses(resolver, [one(resolver, name)])
            assert ([use.line for use in found.items], found.elsewhere) == (lines, 0), name


def test_a_method_that_bears_the_name_of_another_languages_constructor_is_none(folder: Path) -> None:
    files = {"Main.java": "class Main {\n    Demo d = new Demo();\n}\nclass Demo {\n    void init() {}\n}\n"}
    with resolver_of(folder, files) as resolver:
        assert find_uses(resolver, [one(resolver, "Demo.init")]).items == ()


def test_what_stands_in_a_macro_of_rust_is_told_by_name(folder: Path) -> None:
    """What it binds is the macro's own affair: a receiver or a key there was taken for a name from another crate."""
    files = {
        "Cargo.toml": "[package]\nname = 'k'\n",
        "src/lib.rs": "pub mod util;\n",
        "src/util.rs": "pub struct Dir {\n    pub kind: u8,\n}\nimpl Dir {\n    pub fn command(&self) {}\n}\n",
        "src/other.rs": "case!(name, |dir: Dir| {\n    dir.command();\n    same!(Dir { kind: 1 });\n});\n",
    }
    with resolver_of(folder, files) as resolver:
        for name, line in (("Dir.command", 2), ("Dir.kind", 3)):
            found = find_uses(resolver, [one(resolver, name)])
            assert ([(use.line, use.tier) for use in found.items], found.elsewhere) == ([(line, "name")], 0), name


@pytest.mark.parametrize(
    "files",
    [
        {
            "A.java": "class A {\n    private int value;\n    int value() {\n        return value;\n    }\n"
            "    int twice() {\n        return value() + this.value;\n    }\n}\n"
        },
        {
            "a.rs": "struct A { value: u8 }\nimpl A {\n    fn value(&self) -> u8 {\n        self.value\n    }\n"
            "    fn twice(&self) -> u8 {\n        self.value() + self.value\n    }\n}\n"
        },
    ],
    ids=["java", "rust"],
)
def test_a_field_is_no_method_of_its_name(folder: Path, files: dict[str, str]) -> None:
    with resolver_of(folder, files) as resolver:
        method, variable = sorted(resolver.world.namesakes("value"), key=lambda each: each.symbol.kind == "field")
        for item, lines in ((method, [7]), (variable, [4, 7])):
            found = find_uses(resolver, [item])
            assert [(use.line, use.tier) for use in found.items] == [(line, "proven") for line in lines], item
