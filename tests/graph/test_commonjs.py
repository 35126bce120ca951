"""What a file of CommonJS gives to others under which name."""

from pathlib import Path

import pytest

from cairn.graph.exports import commonjs_exports
from tests.graph.worlds import calls, places, resolver_of, uses

pytestmark = pytest.mark.sampled

TOP = "function t() {}\nfunction foo() {}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module.exports = { foo: t };\n", "proven a.js:t"),
        ("module.exports = {\n  bar: { foo: 1 }, // foo: foo,\n  'foo': t\n};\n", "proven a.js:t"),
        ("exports.foo = t;\n", "proven a.js:t"),
        ("module.exports.foo = t\n", "proven a.js:t"),
        ("exports.foo = void 0;\nexports.foo = exports.bar = t;\n", "proven a.js:t"),
        ("module.exports = { foo };\n", "proven a.js:foo"),
        ("exports.foo = foo;\n", "proven a.js:foo"),
        ("exports.foo = wrap(foo);\n", "likely a.js:foo"),
        ("exports.foo = t\n  .bind(1);\n", "likely a.js:foo"),
        ("exports.foo = foo;\nexports.foo = t;\n", "likely a.js:foo"),
        ("module.exports = { foo: x ? t : foo };\n", "likely a.js:foo"),
    ],
)
def test_what_is_required_is_what_was_given(folder: Path, text: str, expected: str) -> None:
    user = "const { foo } = require('./a');\nconst a = require('./a');\nfoo();\na.foo();\n"
    with resolver_of(folder, {"a.js": TOP + text, "b.js": user}) as resolver:
        found = calls(resolver, "b.js")
        assert (found["3:foo"], found["4:a.foo"]) == (expected, expected)


def test_uses_follow_the_name_that_commonjs_gives(folder: Path) -> None:
    files = {"a.js": "function t() {}\nexports.foo = t;\n", "b.js": "const { foo } = require('./a');\nfoo();\n"}
    with resolver_of(folder, files) as resolver:
        assert "b.js:2:0 proven call" in places(uses(resolver, "t"))


def test_what_is_made_in_place_keeps_its_name() -> None:
    text = "module.exports = { a() {}, b: function () {}, c: async (x) => x, d: 'x, e: y', f: g, ...h };\n"
    assert commonjs_exports(text + "exports.i = class {};") == {"d": "", "f": "g"}
