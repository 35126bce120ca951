"""What names mean in trees of languages other than Python."""

from pathlib import Path

import pytest

from cairn.graph.calls import CALLERS, Limits, call_graph
from cairn.graph.references import find_uses
from cairn.graph.symbols import find_definitions
from tests.graph.worlds import calls, one, places, resolver_of, uses


@pytest.mark.slow
def test_typescript_default_exports_index_files_and_fields(folder: Path) -> None:
    files = {
        "src/lease.ts": "export default class Lease {\n  run() { this.stop(); }\n  stop() {}\n}\n"
        "export function helper() {}\n",
        "src/index.ts": "export { default as Held, helper as help } from './lease';\nexport * from './more';\n",
        "src/more.ts": "import Lease from './lease';\nexport class Sub extends Lease {\n"
        "  constructor(private l: Lease) { super(); }\n"
        "  go() { super.run(); this.stop(); this.l.run(); }\n}\nexport const arrow = () => 1;\n",
        "src/use.ts": "import { Held, help, Sub, arrow } from '.';\nimport Other, * as ns from './lease';\n"
        "function f(h: Held, s: Sub) {\n  h.run();\n  s.run();\n  help();\n  arrow();\n  ns.helper();\n"
        "  new Other();\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "src/use.ts") == {
            "4:h.run": "proven src/lease.ts:Lease.run",
            "5:s.run": "proven src/lease.ts:Lease.run",
            "6:help": "proven src/lease.ts:helper",
            "7:arrow": "proven src/more.ts:arrow",
            "8:ns.helper": "proven src/lease.ts:helper",
            "9:Other": "proven src/lease.ts:Lease",
        }
        more = calls(resolver, "src/more.ts")
        assert more["4:super.run"] == "proven src/lease.ts:Lease.run"
        assert more["4:this.stop"] == "proven src/lease.ts:Lease.stop"
        assert more["4:this.l.run"] == "proven src/lease.ts:Lease.run"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export default function made() {}\n", "proven a.js:made"),
        ("function made() {}\nexport default made;\n", "proven a.js:made"),
        ("function made() {}\nexport { made as default };\n", "proven a.js:made"),
        ("class Made {}\nexport function other() {}\nmodule.exports = Made;\n", "proven a.js:Made"),
        ("export default () => 1;\nexport function other() {}\n", "proven a.js:default"),
        ("export function only() {}\n", "unknown"),
        ("function wrap(x) {}\nexport function only() {}\nexport default wrap(only);\n", "unknown"),
    ],
)
def test_what_a_file_of_javascript_offers_as_a_whole(folder: Path, text: str, expected: str) -> None:
    with resolver_of(folder, {"a.js": text, "b.js": "import q from './a';\nq();\n"}) as resolver:
        assert calls(resolver, "b.js") == {"2:q": expected}


@pytest.mark.slow
def test_commonjs_requires_lead_to_what_is_exported(folder: Path) -> None:
    files = {
        "lib/a.js": "function alpha() {}\nfunction beta() { alpha(); }\nmodule.exports = { alpha, b: beta };\n",
        "lib/c.js": "class Only { go() {} }\nmodule.exports = Only;\n",
        "lib/e.js": "exports.made = function () { return 1; };\n",
        "main.js": "const a = require('./lib/a');\nconst { alpha, b: bb } = require('./lib/a');\n"
        "const Only = require('./lib/c');\nconst e = require('./lib/e');\n"
        "a.alpha();\nalpha();\nbb();\nOnly();\ne.made();\n",
    }
    with resolver_of(folder, files) as resolver:
        found = calls(resolver, "main.js")
        assert found["5:a.alpha"] == "proven lib/a.js:alpha"
        assert found["6:alpha"] == "proven lib/a.js:alpha"
        assert found["7:bb"] == "proven lib/a.js:beta"
        assert found["8:Only"] == "proven lib/c.js:Only"
        assert found["9:e.made"] == "proven lib/e.js:made"


def test_go_packages_are_folders_and_methods_stand_anywhere_in_them(folder: Path) -> None:
    files = {
        "go.mod": "module example.com/m\n",
        "a/a.go": "package a\ntype Lease struct{}\nfunc New() *Lease { return helper() }\n",
        "a/b.go": "package a\nfunc helper() *Lease { return nil }\nfunc (l *Lease) Run() { l.Stop() }\n",
        "a/c.go": "package a\nfunc (l *Lease) Stop() {}\n",
        "b/b.go": 'package b\nimport (\n\t"fmt"\n\tal "example.com/m/a"\n)\nfunc helper() {}\n'
        "func Use(l *al.Lease) {\n\tl.Run()\n\tal.New()\n\thelper()\n\tfmt.Println()\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "a/a.go") == {"3:helper": "proven a/b.go:helper"}
        assert calls(resolver, "a/b.go") == {"3:l.Stop": "proven a/c.go:Lease.Stop"}
        assert calls(resolver, "b/b.go") == {
            "8:l.Run": "proven a/b.go:Lease.Run",
            "9:al.New": "proven a/a.go:New",
            "10:helper": "proven b/b.go:helper",
            "11:fmt.Println": "outside",
        }


def test_rust_paths_reexports_and_impl_blocks(folder: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "pub mod lease;\nmod util;\npub use lease::Lease as Held;\nuse util::*;\n"
        "fn top() {\n    tool();\n    crate::util::tool();\n    Held::make();\n}\n",
        "src/lease.rs": "use crate::util::{self, tool as t};\npub struct Lease { u: util::U }\nimpl Lease {\n"
        "    pub fn make() -> Self { Self::built() }\n    fn built() -> Self { t() }\n"
        "    pub fn run(&self) { self.u.go(); }\n}\n",
        "src/util.rs": "pub fn tool() {}\npub struct U;\nimpl U {\n    pub fn go(&self) {}\n}\n",
        "src/one.rs": "pub struct Config;\nimpl Config {\n    fn a(&self) { self.only_two() }\n}\n",
        "src/two.rs": "pub struct Config;\nimpl Config {\n    fn only_two(&self) {}\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "src/lib.rs") == {
            "6:tool": "proven src/util.rs:tool",
            "7:crate.util.tool": "proven src/util.rs:tool",
            "8:Held.make": "proven src/lease.rs:Lease.make",
        }
        assert calls(resolver, "src/lease.rs") == {
            "4:Self.built": "proven src/lease.rs:Lease.built",
            "5:t": "proven src/util.rs:tool",
            "6:self.u.go": "proven src/util.rs:U.go",
        }
        # Two types of one name in one folder: the members of the one are not the other's.
        assert calls(resolver, "src/one.rs") == {"3:self.only_two": "name src/two.rs:Config.only_two"}


def test_rust_globs_in_a_tree_of_paths_ask_the_leaf(folder: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "mod a;\nuse crate::a::{b::*, c};\nfn f() {\n    inner();\n    outer();\n    c::third();\n}\n",
        "src/a/mod.rs": "pub mod b;\npub mod c;\npub fn outer() {}\n",
        "src/a/b.rs": "pub fn inner() {}\n",
        "src/a/c.rs": "use super::b::*;\npub fn third() { super::outer(); inner(); }\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "src/lib.rs") == {
            "4:inner": "proven src/a/b.rs:inner",
            "5:outer": "outside",
            "6:c.third": "proven src/a/c.rs:third",
        }
        assert calls(resolver, "src/a/c.rs") == {
            "2:super.outer": "proven src/a/mod.rs:outer",
            "2:inner": "proven src/a/b.rs:inner",
        }


def test_java_members_fields_static_imports_and_packages_over_source_roots(folder: Path) -> None:
    main, test = "src/main/java/", "src/test/java/"
    files = {
        f"{main}p/Base.java": "package p;\npublic class Base {\n  void close() {}\n"
        "  class In { void z() { close(); } }\n}\n",
        f"{main}p/Lease.java": "package p;\nimport q.Store;\nimport static q.Store.make;\n"
        "public class Lease extends Base {\n"
        "  private Store store;\n  void run(Store s) {\n    store.put();\n    s.put();\n    close();\n"
        "    super.close();\n"
        "    make();\n    Helper.go();\n    this.store.put();\n  }\n}\n",
        f"{main}p/Helper.java": "package p;\nclass Helper {\n  static void go() {}\n}\n",
        f"{main}q/Store.java": "package q;\nimport p.*;\npublic class Store {\n  public void put() {}\n"
        "  public static Store make() { return null; }\n}\n",
        f"{main}q/Far.java": "package q;\nimport static q.Store.make;\nclass Far extends Activity {\n"
        "  void f() {\n    make();\n    other();\n    Store.make();\n  }\n}\n",
        f"{main}r/Star.java": "package r;\nimport q.*;\nclass Star {\n  void f(Store s, Helper h) {\n"
        "    s.put();\n    Helper.go();\n  }\n}\n",
        f"{test}p/LeaseTest.java": "package p;\nclass LeaseTest {\n  void t(Lease l) { l.close(); Helper.go(); }\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        put, close = f"proven {main}q/Store.java:Store.put", f"proven {main}p/Base.java:Base.close"
        assert calls(resolver, f"{main}p/Lease.java") == {
            "7:store.put": put,
            "8:s.put": put,
            "9:close": close,
            "10:super.close": close,
            "11:make": f"proven {main}q/Store.java:Store.make",
            "12:Helper.go": f"proven {main}p/Helper.java:Helper.go",
            "13:this.store.put": put,
        }
        assert calls(resolver, f"{main}p/Base.java") == {"4:close": close}
        # A base that isn't known may have the method; it hides no type.
        assert calls(resolver, f"{main}q/Far.java") == {
            "5:make": f"likely {main}q/Store.java:Store.make",
            "6:other": "outside",
            "7:Store.make": f"proven {main}q/Store.java:Store.make",
        }
        # What a package imports is not passed on.
        star = calls(resolver, f"{main}r/Star.java")
        assert star["5:s.put"] == put
        assert "proven" not in star["6:Helper.go"]
        assert calls(resolver, f"{test}p/LeaseTest.java") == {
            "3:l.close": close,
            "3:Helper.go": f"proven {main}p/Helper.java:Helper.go",
        }


@pytest.mark.slow
def test_kotlin_properties_and_bases(folder: Path) -> None:
    files = {
        "com/p/A.kt": "package com.p\n\nopen class A {\n    fun a() {\n        b()\n    }\n    fun b() {}\n}\n\n"
        "fun top() {}\n",
        "com/q/B.kt": "package com.q\n\nimport com.p.A\nimport com.p.top as t\n\nclass B(val x: A) : A() {\n"
        "    fun c() {\n"
        "        x.a()\n        a()\n        t()\n        super.b()\n    }\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "com/p/A.kt") == {"5:b": "proven com/p/A.kt:A.b"}
        found = calls(resolver, "com/q/B.kt")
        assert found["8:x.a"] == found["9:a"] == "proven com/p/A.kt:A.a"
        assert found["10:t"].endswith("com/p/A.kt:top")
        assert found["11:super.b"] == "proven com/p/A.kt:A.b"


def test_c_prototypes_stand_for_their_definition_and_static_ones_stay_at_home(folder: Path) -> None:
    files = {
        "inc/lease.h": "struct lease { int n; };\nint take(struct lease *l);\nint two(void);\n#define MAXV(a) (a)\n",
        "src/lease.c": '#include "../inc/lease.h"\nstatic int helper(void) { return 1; }\n'
        "int take(struct lease *l) { return helper() + MAXV(l->n); }\nint two(void) { return 2; }\n",
        "src/other.c": '#include "../inc/lease.h"\nint two(void) { return 3; }\n',
        "src/main.c": '#include "../inc/lease.h"\nint main(void) { return take(0) + helper() + two(); }\n',
        "src/plain.c": "int plain(void) { return take(0) + two(); }\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "src/lease.c") == {
            "3:helper": "proven src/lease.c:helper",
            "3:MAXV": "proven inc/lease.h:MAXV",
        }
        assert calls(resolver, "src/main.c") == {
            "2:take": "proven inc/lease.h:take src/lease.c:take",
            "2:helper": "unknown",
            "2:two": "likely inc/lease.h:two src/lease.c:two src/other.c:two",
        }
        assert resolver.meaning("src/main.c", "take").targets[0].path == "src/lease.c"
        assert calls(resolver, "src/plain.c") == {
            "1:take": "likely inc/lease.h:take src/lease.c:take",
            "1:two": "name inc/lease.h:two src/lease.c:two src/other.c:two",
        }


@pytest.mark.slow
def test_cpp_methods_beside_their_class_see_its_members(folder: Path) -> None:
    files = {
        "inc/w.hpp": "namespace ns {\nclass Base { public: void close(); };\n"
        "class W : public Base { public: void run(); static void st(); };\nvoid fr();\n}\n",
        "src/w.cpp": '#include "../inc/w.hpp"\nnamespace ns {\nvoid W::run() {\n  close();\n  this->close();\n'
        "  st();\n  fr();\n}\n"
        "void fr() {}\nvoid Base::close() {}\n}\n",
        "src/m.cpp": '#include "../inc/w.hpp"\nvoid f(ns::W *w) {\n  w->run();\n  ns::fr();\n  ns::W::st();\n'
        "  w->close();\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        close = "proven inc/w.hpp:ns.Base.close src/w.cpp:ns.Base.close"
        assert calls(resolver, "src/w.cpp") == {
            "4:close": close,
            "5:this.close": close,
            "6:st": "proven inc/w.hpp:ns.W.st",
            "7:fr": "proven src/w.cpp:ns.fr",
        }
        assert calls(resolver, "src/m.cpp") == {
            "3:w.run": "proven inc/w.hpp:ns.W.run src/w.cpp:ns.W.run",
            "4:ns.fr": "proven inc/w.hpp:ns.fr src/w.cpp:ns.fr",
            "5:ns.W.st": "proven inc/w.hpp:ns.W.st",
            "6:w.close": close,
        }


@pytest.mark.slow
def test_ruby_modules_and_bases(folder: Path) -> None:
    files = {
        "lib/base.rb": "class Base\n  def close; end\nend\n",
        "lib/lease.rb": "require_relative 'base'\nmodule M\n  class Lease < Base\n    def run\n      self.stop()\n"
        "      close()\n    end\n    def stop; end\n    def self.make; end\n  end\nend\nM::Lease.make()\n",
    }
    with resolver_of(folder, files) as resolver:
        found = calls(resolver, "lib/lease.rb")
        assert found["5:self.stop"] == "proven lib/lease.rb:M.Lease.stop"
        assert found["6:close"] == "proven lib/base.rb:Base.close"
        assert found["12:M.Lease.make"] == "proven lib/lease.rb:M.Lease.make"


@pytest.mark.slow
def test_php_names_a_definition_by_the_namespace_that_its_file_says(folder: Path) -> None:
    files = {
        "src/Car.php": "<?php\nnamespace P;\nclass Car {\n  public function go() {}\n}\nfunction speed() {}\n",
        "src/Other.php": "<?php\nnamespace Q;\nclass Car {\n}\n",
        "use.php": "<?php\nuse P\\Car;\nuse function P\\speed;\nfunction main() {\n  $c = new Car();\n  $c->go();\n"
        "  speed();\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        found = calls(resolver, "use.php")
        assert found["5:Car"] == "proven src/Car.php:Car"
        assert found["7:speed"] == "proven src/Car.php:speed"


def test_php_types_of_parameters_and_properties(folder: Path) -> None:
    files = {
        "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}',
        "src/Base.php": "<?php\nnamespace App;\nclass Base {\n  public function close() {}\n"
        "  public static function mk() {}\n}\n",
        "src/Lease.php": "<?php\nnamespace App;\nuse App\\Store\\Db as D;\nclass Lease extends Base {\n"
        "  private D $d;\n"
        "  public function run(D $x, $parent) {\n    $this->close();\n    parent::close();\n    self::mk();\n"
        "    $x->keep();\n"
        "    $this->d->keep();\n    D::go();\n    $parent->close();\n  }\n}\n",
        "src/Store/Db.php": "<?php\nnamespace App\\Store;\nclass Db {\n  public function keep() {}\n"
        "  public static function go() {}\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        found = calls(resolver, "src/Lease.php")
        assert found["10:$x.keep"] == "proven src/Store/Db.php:Db.keep"
        assert found["11:$this.d.keep"] == "proven src/Store/Db.php:Db.keep"
        assert found["12:D.go"] == "proven src/Store/Db.php:Db.go"
        assert [found[key].partition(" ")[2] for key in ("7:$this.close", "8:parent.close", "9:self.mk")] == [
            "src/Base.php:Base.close",
            "src/Base.php:Base.close",
            "src/Base.php:Base.mk",
        ]
        assert found["13:$parent.close"] == "name src/Base.php:Base.close"


@pytest.mark.slow
def test_csharp_partial_classes_and_fields(folder: Path) -> None:
    files = {
        "A.cs": "namespace N {\n  public class A : B {\n    private C c;\n    public void Run(C d) {\n"
        "      Close();\n"
        "      base.Close();\n      c.Keep();\n      d.Keep();\n    }\n  }\n}\n",
        "B.cs": "namespace N {\n  public partial class B {\n    public void Close() { Part(); }\n  }\n}\n",
        "B2.cs": "namespace N {\n  public partial class B {\n    public void Part() { }\n  }\n}\n",
        "C.cs": "namespace N {\n  public class C {\n    public void Keep() {}\n  }\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "A.cs") == {
            "5:Close": "proven B.cs:N.B.Close",
            "6:base.Close": "proven B.cs:N.B.Close",
            "7:c.Keep": "proven C.cs:N.C.Keep",
            "8:d.Keep": "proven C.cs:N.C.Keep",
        }
        assert calls(resolver, "B.cs") == {"3:Part": "proven B2.cs:N.B.Part"}


@pytest.mark.slow
def test_a_name_of_php_with_a_leading_backslash_is_in_no_namespace(folder: Path) -> None:
    files = {
        "a.php": "<?php\nnamespace A;\nfunction strlen($x) {}\nfunction own() {}\n\\strlen('x');\nstrlen('y');\n"
        "\\A\\strlen('z');\n\\everywhere();\nB\\far();\n",
        "b.php": "<?php\nfunction everywhere() {}\n",
        "c.php": "<?php\nnamespace A\\B;\nfunction far() {}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "a.php") == {
            "5:\\.strlen": "outside",
            "6:strlen": "proven a.php:strlen",
            "7:A.strlen": "likely a.php:strlen",
            "8:\\.everywhere": "proven b.php:everywhere",
            "9:B.far": "likely c.php:far",
        }
        assert places(uses(resolver, "strlen")) == ["a.php:6:0 proven call", "a.php:7:3 likely call"]
        assert places(uses(resolver, "everywhere")) == ["a.php:8:1 proven call"]


def test_a_macro_of_rust_is_called_with_an_exclamation_mark_alone(folder: Path) -> None:
    files = {
        "src/lib.rs": "macro_rules! foo { () => {} }\nfn foo() {}\nfn go() {\n    foo!();\n    foo();\n"
        "    foo!(foo());\n    only!();\n    only();\n}\nmacro_rules! only { () => {} }\n",
    }
    with resolver_of(folder, files) as resolver:
        macro, function = (item for item in find_definitions(resolver.world.view, "foo"))
        assert (macro.symbol.kind, function.symbol.kind) == ("macro", "function")
        assert places(find_uses(resolver, [macro]))[0] == "src/lib.rs:4:4 proven call"
        assert {item.line for item in find_uses(resolver, [macro]).items} == {4, 6}
        assert places(find_uses(resolver, [function]))[0] == "src/lib.rs:5:4 proven call"
        assert {item.line for item in find_uses(resolver, [function]).items} == {5, 6}
        assert {item.line: item.tier for item in uses(resolver, "only").items}[7] == "proven"
        assert {item.line: item.tier for item in uses(resolver, "only").items}.get(8) in (None, "name")


def test_an_import_in_a_block_of_rust_may_hide_what_the_function_around_it_defines(folder: Path) -> None:
    files = {
        "src/lib.rs": "mod m;\nfn go() {\n    fn g() {}\n    {\n        use crate::m::g;\n        g();\n    }\n}\n",
        "src/m.rs": "pub fn g() {}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "src/lib.rs") == {"6:g": "likely src/lib.rs:go.g src/m.rs:g"}


def test_methods_of_a_class_of_ruby_and_those_of_its_values_are_apart(folder: Path) -> None:
    files = {
        "a.rb": "class A\n  def top; end\n  def self.cls\n    top()\n    other()\n  end\n  def self.other; end\n"
        "  def inst\n    top()\n    other()\n  end\nend\n",
        "b.rb": "class B\n  def below; end\n  extend self\n  def self.cls\n    below()\n  end\nend\n",
    }
    with resolver_of(folder, files) as resolver:
        found = calls(resolver, "a.rb")
        assert not found["4:top"].startswith("proven")
        assert found["5:other"] == "proven a.rb:A.other"
        assert found["9:top"] == "proven a.rb:A.top"
        assert not found["10:other"].startswith("proven")
        assert calls(resolver, "b.rb")["5:below"] == "likely b.rb:B.below"


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (
            "A.java",
            "class A {\n  int size() { return 1; }\n  void v(int size) {\n    size(); use(size);\n  }\n}\n",
            4,
        ),
        ("a.rb", "class A\n  def size; end\n  def v(size)\n    size(); use(size)\n  end\nend\n", 4),
    ],
)
def test_what_is_called_is_never_a_variable(folder: Path, path: str, text: str, line: int) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        found = uses(resolver, "size")
        assert [(item.line, item.tier, item.role) for item in found.items] == [(line, "proven", "call")]
        graph = call_graph(resolver, [one(resolver, "A.size")], CALLERS, Limits())
        assert [(call.tier, call.lines) for call in graph.calls] == [("proven", (line,))]


def test_a_base_that_several_source_roots_define_is_likely(folder: Path) -> None:
    base = "package p;\nclass Base {\n  void go() {}\n}\n"
    files = {
        "src/main/java/p/Base.java": base,
        "src/test/java/p/Base.java": base,
        "src/main/java/p/Only.java": "package p;\nclass Only {\n  void once() {}\n}\n",
        "src/main/java/p/U.java": "package p;\nclass U extends Base {\n  void u() { go(); }\n}\n",
        "src/main/java/p/V.java": "package p;\nclass V extends Only {\n  void v() { once(); }\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "src/main/java/p/U.java")["3:go"].startswith("likely ")
        assert calls(resolver, "src/main/java/p/V.java") == {"3:once": "proven src/main/java/p/Only.java:Only.once"}


@pytest.mark.parametrize(("other", "tier"), [("pub struct T;\n", "proven"), ("pub struct S;\n", "likely")])
def test_members_far_from_their_type_are_proven_where_one_type_has_the_name(
    folder: Path, other: str, tier: str
) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "mod a;\nmod b;\nmod deep;\nfn f(s: crate::a::S) {\n    s.go();\n}\n",
        "src/a.rs": "pub struct S;\n",
        "src/b.rs": other,
        "src/deep/mod.rs": "use crate::a::S;\nimpl S {\n    pub fn go(&self) {}\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls(resolver, "src/lib.rs") == {"5:s.go": f"{tier} src/deep/mod.rs:S.go"}


def test_a_bare_name_of_java_may_come_from_where_its_file_does_not_say(folder: Path) -> None:
    files = {
        "j/C.java": "package j;\nenum Color { RED, BLUE }\nclass Par { static void help() {} }\n"
        "class Sw { int f(Color c) {\n    switch (c) { case RED: return 1; default: return 0; }\n} }\n",
        "k/U.java": "package k;\nimport static j.Color.BLUE;\nimport static j.Par.*;\nimport j.Color;\n"
        "class U { boolean f(Color c) {\n    help();\n    return c == BLUE;\n} }\n",
    }
    with resolver_of(folder, files) as resolver:
        # A label is one of the enum that is switched over.
        assert places(uses(resolver, "RED")) == ["j/C.java:5:22 name read"]
        assert places(uses(resolver, "help")) == ["k/U.java:6:4 proven call"]
        # A file may hold types that it isn't named after.
        assert places(uses(resolver, "BLUE")) == ["k/U.java:2:22 proven import", "k/U.java:7:16 proven read"]
        assert {item.tier for item in uses(resolver, "Color").items} == {"proven"}


def test_all_that_a_type_has_may_be_imported(folder: Path) -> None:
    files = {
        "Cargo.toml": "[package]\nname = 'x'\n",
        "src/lib.rs": "mod a;\nmod b;\n",
        "src/a.rs": "pub enum Kind { Alpha, Beta(u8) }\n",
        "src/b.rs": "use crate::a::Kind;\nuse crate::a::Kind::*;\npub fn f(k: Kind) -> u8 {\n"
        "    match k { Alpha => 1, Beta(n) => n }\n}\n",
        "j/D.java": "package j;\npublic class D { public static int THREE = 3; }\n",
        "k/V.java": "package k;\nimport static j.D.*;\nclass V { int f() {\n    return THREE;\n} }\n",
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "Alpha")) == ["src/b.rs:4:14 proven read"]
        assert [item.tier for item in uses(resolver, "Beta").items] == ["proven"]
        assert places(uses(resolver, "THREE")) == ["k/V.java:4:11 proven read"]


def test_what_a_call_imports_is_imported(folder: Path) -> None:
    files = {
        "lib.js": "exports.three = function three() {};\nexports.six = function six() {};\n",
        "only.js": "const { three, six: s } = require('./lib');\nthree();\ns();\nfunction f({ three }) {}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "three"))[:2] == ["only.js:1:8 proven import", "only.js:2:0 proven call"]
        assert places(uses(resolver, "six")) == ["only.js:1:15 proven import", "only.js:3:0 proven call"]


def test_an_alias_of_a_type_in_a_namespace_is_followed(folder: Path) -> None:
    files = {
        "a.cs": "namespace Sp { public class Util { public static void Help() {} } }\n",
        "b.cs": "using Al = Sp.Util;\nclass Q { void F() {\n    Al.Help();\n} }\n",
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "Help")) == ["b.cs:3:7 proven call"]


def test_a_variant_that_holds_a_value_is_called(folder: Path) -> None:
    files = {"src/lib.rs": "enum Kind { Beta(u8) }\nfn f() -> Kind {\n    Kind::Beta(1)\n}\n"}
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "Beta")) == ["src/lib.rs:3:10 proven call"]
