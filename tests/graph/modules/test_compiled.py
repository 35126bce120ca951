"""Imports of Go, Rust, the languages of the JVM, and C."""

import pytest

from cairn.graph.customs import Target
from tests.graph.modules.trees import NOTHING, found, guess, sure, tree

GO = tree("main.go util/a.go util/b.go util/a_test.go tools/gen/main.go tools/gen/lib/l.go fork/x.go fork/in/y.go") | {
    "go.mod": "// the module\nmodule example.org/app // here\n\ngo 1.22\n\nreplace (\n"
    "\tgithub.com/old/x v1.2.3 => ./fork // ours\n\tgithub.com/far/y => ../../outside\n)\n",
    "tools/gen/go.mod": 'module "example.org/app/tools/gen"\n',
    "go.work": "go 1.22\nuse (\n\t.\n\t./tools/gen\n)\nreplace example.org/worked => ./util\n",
    "vendor/github.com/v/w/w.go": "",
}


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("main.go", "example.org/app/util", sure("util/a.go util/b.go")),
        ("main.go", "example.org/app", sure("main.go")),
        ("main.go", "example.org/app/tools/gen/lib", sure("tools/gen/lib/l.go")),
        ("tools/gen/main.go", "example.org/app/util", sure("util/a.go util/b.go")),
        ("main.go", "github.com/old/x", sure("fork/x.go")),
        ("main.go", "github.com/old/x/in", sure("fork/in/y.go")),
        ("tools/gen/main.go", "github.com/old/x", NOTHING),
        ("tools/gen/main.go", "example.org/worked", sure("util/a.go util/b.go")),
        ("main.go", "github.com/far/y", NOTHING),
        ("main.go", "github.com/v/w", sure("vendor/github.com/v/w/w.go")),
        ("main.go", "example.org/apple", NOTHING),
        ("main.go", "example.org/app/none", NOTHING),
        ("main.go", "example.org/app/../app", NOTHING),
        ("util/a.go", "../fork", sure("fork/x.go")),
        ("main.go", "fmt", NOTHING),
        ("main.go", "C", NOTHING),
    ],
)
def test_go(importer: str, source: str, expected: Target) -> None:
    assert found(GO, "go", importer, source) == expected


def test_two_go_modules_of_one_name_are_a_guess_from_outside_and_certain_from_within() -> None:
    module = "module m.io/x\n"
    files = tree("a/p/p.go b/p/p.go b/main.go c/main.go") | {
        "a/go.mod": module,
        "b/go.mod": module,
        "c/go.mod": "module c",
    }
    assert found(files, "go", "b/main.go", "m.io/x/p") == sure("b/p/p.go")
    assert found(files, "go", "c/main.go", "m.io/x/p") == guess("a/p/p.go")


def test_go_before_modules_is_guessed() -> None:
    assert found(tree("main.go sub/s.go"), "go", "main.go", "github.com/u/p/sub") == guess("sub/s.go")


RUST = tree(
    "Cargo.toml core/src/lib.rs core/src/a.rs core/src/a/inner.rs core/src/b/mod.rs core/src/b/deep.rs",
    "core/tests/it.rs core/tests/common/mod.rs core/src/bin/tool.rs core/src/bin/help.rs core/src/inline.rs",
    "core/src/tests/mod.rs core/src/tests/x.rs app/src/main.rs app/src/cfg.rs odd/source/root.rs odd/source/part.rs",
) | {
    "Cargo.toml": '[workspace]\nmembers = ["core", "app"]\n',
    "core/Cargo.toml": '[package]\nname = "my-core" # ours\n\n[dependencies]\nname = "no"\n',
    "app/Cargo.toml": '[package]\nname = "app"\n[[bin]]\nname = "other"\npath = "x.rs"\n',
    "odd/Cargo.toml": "[package]\nname = 'odd'\n[lib]\npath = \"source/root.rs\"\n",
    "core/src/inline.rs": "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
}


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("core/src/lib.rs", "a", sure("core/src/a.rs")),
        ("core/src/lib.rs", "b", sure("core/src/b/mod.rs")),
        ("core/src/a.rs", "inner", sure("core/src/a/inner.rs")),
        ("core/src/b/mod.rs", "deep", sure("core/src/b/deep.rs")),
        ("core/src/b/deep.rs", "crate::a::Thing", sure("core/src/a.rs", "Thing")),
        ("core/src/b/deep.rs", "crate::a::inner::*", sure("core/src/a/inner.rs")),
        ("core/src/b/deep.rs", "crate::Top", sure("core/src/lib.rs", "Top")),
        ("core/src/b/deep.rs", "crate", sure("core/src/lib.rs")),
        ("core/src/b/deep.rs", "super::Thing as Other", sure("core/src/b/mod.rs", "Thing")),
        ("core/src/b/deep.rs", "super::super::a::r#type", sure("core/src/a.rs", "type")),
        ("core/src/a/inner.rs", "super::X", sure("core/src/a.rs", "X")),
        ("core/src/a.rs", "self::inner::Y", sure("core/src/a/inner.rs", "Y")),
        ("core/src/a.rs", "inner::Y", sure("core/src/a/inner.rs", "Y")),
        ("core/src/inline.rs", "super::*", guess("core/src/inline.rs core/src/lib.rs")),
        ("core/src/inline.rs", "super::a::X", sure("core/src/a.rs", "X")),
        ("core/src/inline.rs", "super::f", guess("core/src/inline.rs core/src/lib.rs", "f")),
        (
            "core/src/b/deep.rs",
            "crate::{a::X, b::{self, deep::*}}",
            sure("core/src/a.rs core/src/b/mod.rs core/src/b/deep.rs"),
        ),
        ("core/src/b/deep.rs", "crate::a::{X, Y}", sure("core/src/a.rs")),
        ("core/src/b/deep.rs", "crate::{a::X, b::{", sure("core/src/a.rs core/src/b/mod.rs")),
        ("core/src/b/deep.rs", "{crate::a, std::io}", guess("core/src/a.rs")),
        ("core/tests/it.rs", "my_core::a::X", sure("core/src/a.rs", "X")),
        ("core/tests/it.rs", "common", sure("core/tests/common/mod.rs")),
        ("core/tests/it.rs", "crate::common::f", sure("core/tests/common/mod.rs", "f")),
        ("core/src/bin/tool.rs", "help", sure("core/src/bin/help.rs")),
        ("core/src/tests/x.rs", "super::helper", sure("core/src/tests/mod.rs", "helper")),
        ("core/src/tests/x.rs", "crate::a", sure("core/src/a.rs")),
        ("app/src/main.rs", "my_core::b::deep::Z", sure("core/src/b/deep.rs", "Z")),
        ("app/src/cfg.rs", "::my_core::a", sure("core/src/a.rs")),
        ("app/src/cfg.rs", "crate::f", sure("app/src/main.rs", "f")),
        ("app/src/cfg.rs", "odd::part::P", sure("odd/source/part.rs", "P")),
        ("odd/source/part.rs", "crate::X", sure("odd/source/root.rs", "X")),
        ("core/src/b/deep.rs", "a::X", guess("core/src/a.rs", "X")),
        ("core/src/a.rs", "std::collections::HashMap", NOTHING),
        ("core/src/a.rs", "serde", NOTHING),
        ("core/src/lib.rs", "super::super::x", NOTHING),
    ],
)
def test_rust(importer: str, source: str, expected: Target) -> None:
    assert found(RUST, "rust", importer, source) == expected


def test_a_crate_without_a_manifest_starts_where_its_root_file_stands() -> None:
    files = tree("part/src/lib.rs part/src/a/b.rs part/src/c.rs")
    assert found(files, "rust", "part/src/a/b.rs", "crate::c::X") == sure("part/src/c.rs", "X")
    assert found(tree("src/a.rs src/b.rs"), "rust", "src/a.rs", "crate::b::X") == NOTHING


def test_a_crate_with_two_roots_is_certain_about_its_modules_only() -> None:
    files = tree("src/lib.rs src/main.rs src/a.rs src/b.rs") | {"Cargo.toml": '[package]\nname = "x"\n'}
    assert found(files, "rust", "src/a.rs", "crate::b::T") == sure("src/b.rs", "T")
    assert found(files, "rust", "src/a.rs", "crate::T") == guess("src/lib.rs", "T")
    assert found(files, "rust", "src/main.rs", "crate::T") == sure("src/main.rs", "T")


JVM = tree(
    "core/src/main/java/org/acme/util/Texts.java core/src/main/java/org/acme/util/Lists.java",
    "core/src/test/java/org/acme/util/TextsTest.java web/src/main/kotlin/org/acme/web/Routes.kt",
    "web/src/main/kotlin/org/acme/web/Helpers.kt web/src/main/java/org/acme/Twice.java",
    "core/src/main/java/org/acme/Twice.java core/src/main/java/org/acme/Main.java docs/Index.java",
)


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("web/A.java", "org.acme.util.Texts", sure("core/src/main/java/org/acme/util/Texts.java")),
        ("web/A.java", "org.acme.util.Texts.join", sure("core/src/main/java/org/acme/util/Texts.java", "join")),
        (
            "web/A.java",
            "org.acme.util.Texts.Inner.of",
            sure("core/src/main/java/org/acme/util/Texts.java", "Inner", "of"),
        ),
        (
            "web/A.java",
            "org.acme.web",
            sure("web/src/main/kotlin/org/acme/web/Helpers.kt web/src/main/kotlin/org/acme/web/Routes.kt"),
        ),
        (
            "web/A.java",
            "org.acme.web.route",
            sure("web/src/main/kotlin/org/acme/web/Helpers.kt web/src/main/kotlin/org/acme/web/Routes.kt", "route"),
        ),
        (
            "core/A.java",
            "org.acme.util",
            guess(
                "core/src/main/java/org/acme/util/Lists.java core/src/main/java/org/acme/util/Texts.java"
                " core/src/test/java/org/acme/util/TextsTest.java"
            ),
        ),
        ("core/src/main/java/org/acme/Main.java", "org.acme.Twice", sure("core/src/main/java/org/acme/Twice.java")),
        (
            "web/src/test/T.kt",
            "org.acme.Twice",
            guess("web/src/main/java/org/acme/Twice.java core/src/main/java/org/acme/Twice.java"),
        ),
        ("web/A.java", "java.util.List", NOTHING),
        ("web/A.java", "org.other.Main", NOTHING),
        ("web/A.java", "Index", guess("docs/Index.java")),
        ("web/A.java", "org..acme", NOTHING),
    ],
)
@pytest.mark.parametrize("language", ["java", "kotlin"])
def test_jvm(language: str, importer: str, source: str, expected: Target) -> None:
    assert found(JVM, language, importer, source) == expected


C = tree(
    "src/main.c src/local.h src/net/sock.c src/net/sock.h include/lib/api.h include/config.h third/zlib/zlib.h",
    "port/win/config.h port/mac/config.h src/string.h compat/stdio.h sdk/Headers/Kit.h core/vector",
)


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("src/main.c", "local.h", sure("src/local.h")),
        ("src/main.c", "net/sock.h", sure("src/net/sock.h")),
        ("src/net/sock.c", "../local.h", sure("src/local.h")),
        ("src/net/sock.c", "lib/api.h", sure("include/lib/api.h")),
        ("src/main.c", "zlib.h", sure("third/zlib/zlib.h")),
        ("src/main.c", "config.h", guess("include/config.h port/mac/config.h port/win/config.h")),
        ("port/win/a.c", "config.h", sure("port/win/config.h")),
        ("src/main.c", "string.h", guess("src/string.h")),
        ("src/main.c", "stdio.h", guess("compat/stdio.h")),
        ("src/main.c", "vector", guess("core/vector")),
        ("src/main.c", "Kit/Kit.h", guess("sdk/Headers/Kit.h")),
        ("src/main.c", "../../local.h", NOTHING),
        ("src/main.c", "/src/local.h", sure("src/local.h")),
        ("src/main.c", "none.h", NOTHING),
    ],
)
@pytest.mark.parametrize("language", ["c", "cpp", "objective-c"])
def test_includes(language: str, importer: str, source: str, expected: Target) -> None:
    assert found(C, language, importer, source) == expected


def test_rust_modules_in_files_of_another_name() -> None:
    files = tree("src/other/x.rs src/other/inner.rs src/y.rs src/w.rs src/z.rs") | {
        "Cargo.toml": '[package]\nname = "k"\n',
        "src/lib.rs": '#[path = "other/x.rs"]\nmod y;\n#[cfg(test)]\n#[path="z.rs"]\n#[allow(unused)]\n'
        'pub(crate) mod w;\n#[path = "none.rs"]\nmod gone;\n',
    }
    assert found(files, "rust", "src/lib.rs", "y") == sure("src/other/x.rs")
    assert found(files, "rust", "src/lib.rs", "y::inner::T") == sure("src/other/inner.rs", "T")
    assert found(files, "rust", "src/z.rs", "crate::w::T") == sure("src/z.rs", "T")
    assert found(files, "rust", "src/lib.rs", "gone") == NOTHING
