"""Uses under the names that exports and `require` give."""

from pathlib import Path

import pytest

from cairn.graph.aliases import other_names
from cairn.graph.exports import renamed_exports
from tests.graph.worlds import one, places, resolver_of, uses


def test_an_export_under_another_name_is_followed(folder: Path) -> None:
    files = {
        "m.js": "function y() {}\nfunction x() {}\nexport { y as x };\n",
        "u.js": "import { x } from './m';\nx();\n",
        "v.js": "import * as m from './m';\nm.x();\n",
        "w.js": "export { x as w } from './m';\n",
        "q.js": "import { w } from './w';\nw();\n",
        "s.js": "export * from './m';\n",
        "t.js": "import { x as z } from './s';\nz();\n",
        "in.js": "import { y } from './other';\nexport { y as x };\nx();\n",
        "other.js": "export function y() {}\n",
    }
    with resolver_of(folder, files) as resolver:
        item = one(resolver, "y", "m.js")
        assert set(other_names(resolver.world, resolver.top, item)) == {"x", "w", "z"}
        found = places(uses(resolver, "y", "m.js"))
        assert found[:2] == ["m.js:3:9 proven read", "m.js:3:14 proven read"]
        assert [place for place in found if place.endswith("call")] == [
            "q.js:2:0 proven call",
            "t.js:2:0 proven call",
            "u.js:2:0 proven call",
            "v.js:2:2 proven call",
        ]
        # Its own file doesn't get what it offers under that name.
        assert places(uses(resolver, "x", "m.js")) == []


def test_what_is_required_as_a_whole_is_used_under_any_name(folder: Path) -> None:
    files = {
        "lib/run.js": "function run() {}\nmodule.exports = run;\n",
        "u.js": "const go = require('./lib/run');\ngo();\n",
        "lib/many.js": "function a() {}\nmodule.exports = { a };\n",
        "v.js": "const X = require('./lib/many');\nX.a();\nX();\n",
        "lib/es.js": "export default function es() {}\n",
        "w.js": "const whole = require('./lib/es');\nwhole();\n",
        "p.py": "import lib.run as go\n\ngo()\n",
    }
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "run")) == ["lib/run.js:2:17 proven read", "u.js:2:0 proven call"]
        assert places(uses(resolver, "a")) == ["lib/many.js:2:19 proven read", "v.js:2:2 proven call"]
        # What `require` gives of this file has the function as a member.
        assert other_names(resolver.world, resolver.top, one(resolver, "es")) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("export { a as b, c, type D as E, // f as g\n  h as default };", {"b": "a", "E": "D", "default": "h"}),
        ("export type { A as B };", {"B": "A"}),
        ("export { a as b } from './m';", {}),
        ("const s = `x`;\n  export {a as a};", {}),
        ("import { a as b } from './m';", {}),
    ],
)
def test_names_of_exports_are_read_from_their_statements(text: str, found: dict[str, str]) -> None:
    assert renamed_exports(text) == found


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        (
            {
                "src/A/B.php": "<?php\nnamespace A;\nclass B {}\n",
                "composer.json": '{"autoload":{"psr-4":{"A\\\\":"src/A/"}}}',
                "u.php": "<?php\nuse A\\B as D;\nnew D();\n",
            },
            "B",
            ["u.php:2:6 proven import", "u.php:3:4 proven call"],
        ),
        (
            {
                "Cargo.toml": '[package]\nname = "k"\n',
                "src/lib.rs": "mod a;\nuse crate::a::B as D;\nfn f(d: D) {}\n",
                "src/a.rs": "pub struct B;\n",
            },
            "B",
            ["src/lib.rs:2:14 proven import", "src/lib.rs:3:8 proven type"],
        ),
        (
            {"k/A.kt": "package k\nclass A\n", "u/U.kt": "package u\nimport k.A as Z\nfun f() { Z() }\n"},
            "A",
            ["u/U.kt:2:9 proven import", "u/U.kt:3:10 proven call"],
        ),
    ],
)
def test_a_path_to_a_definition_may_give_it_another_name(
    folder: Path, files: dict[str, str], name: str, expected: list[str]
) -> None:
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, name)) == expected


def test_an_import_that_gives_a_thing_its_own_name_is_one_use(folder: Path) -> None:
    files = {
        "m.py": "def run():\n    pass\n",
        "__init__.py": "from .m import run as run\nfrom .m import (\n    run as run,\n)\n",
    }
    with resolver_of(folder, files) as resolver:
        found = places(uses(resolver, "run", "m.py"))
        assert found == ["__init__.py:1:15 proven import", "__init__.py:3:4 proven import"]
