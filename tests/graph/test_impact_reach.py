"""Impact that can be trusted: every way in which a change is seen, and what is open."""

from pathlib import Path

import pytest

from cairn.graph.calls import Limits
from cairn.graph.impact import Change, Impact, impact_of
from cairn.graph.reach import reach
from cairn.graph.testing import ReachingTest, Reason, strong
from tests.graph.worlds import one, resolver_of

pytestmark = [pytest.mark.requirement("IMPACT.2")]


def used(found: Impact) -> dict[str, tuple[str, str]]:
    return {item.node.name: (item.role, item.tier) for item in found.users}


def how(found: Impact) -> dict[str, str]:
    return {item.path: item.how for item in (*found.tests, *found.weak_tests)}


@pytest.mark.parametrize(
    ("files", "before"),
    [
        pytest.param(
            {
                "lib.py": "LIMIT = 2\n\n\nclass Box:\n    size: int = 1\n",
                "a.py": "from lib import LIMIT, Box\nimport lib\n\n\ndef reads():\n    return LIMIT\n\n\n"
                "def writes():\n    lib.LIMIT = 3\n\n\ndef typed(box: Box) -> None:\n    pass\n",
            },
            "LIMIT = 1\n\n\nclass Box:\n    size: int = 1\n",
            id="python",
        ),
        pytest.param(
            {
                "lib.ts": "export const LIMIT = 2;\n",
                "a.ts": "import { LIMIT } from './lib';\nexport function reads() {\n  return LIMIT;\n}\n",
            },
            "export const LIMIT = 1;\n",
            id="typescript",
        ),
        pytest.param(
            {
                "go.mod": "module x\n",
                "lib.go": "package x\n\nconst LIMIT = 2\n",
                "a.go": "package x\n\nfunc reads() int {\n\treturn LIMIT\n}\n",
            },
            "package x\n\nconst LIMIT = 1\n",
            id="go",
        ),
        pytest.param(
            {
                "lib.h": "#define LIMIT 2\n",
                "a.c": '#include "lib.h"\nint reads(void) {\n  return LIMIT;\n}\n',
            },
            "#define LIMIT 1\n",
            id="c",
        ),
    ],
)
def test_who_reads_or_writes_what_was_changed_is_reached(folder: Path, files: dict[str, str], before: str) -> None:
    changed = next(iter(path for path in files if path.startswith("lib")))
    with resolver_of(folder, files) as resolver:
        found = used(impact_of(resolver, [Change(changed, before)], [], Limits()))
        assert found["reads"] == ("read", "proven")
        if changed == "lib.py":
            assert found["writes"] == ("write", "proven")
            assert "typed" not in found
            typed = impact_of(
                resolver, [Change(changed, before.replace("class Box", "class Box(object)"))], [], Limits()
            )
            assert used(typed)["typed"] == ("type", "proven")


def test_what_stands_in_the_place_of_a_changed_member_is_reached_both_ways(folder: Path) -> None:
    base = "class Base:\n    def step(self):\n        return {}\n\n    def go(self):\n        return self.step()\n"
    files = {
        "base.py": base.format(2),
        "sub.py": "from base import Base\n\n\nclass Sub(Base):\n    def step(self):\n        return 3\n",
    }
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("base.py", base.format(1))], [], Limits())
        assert used(found) == {"Base.go": ("call", "proven"), "Sub.step": ("override", "likely")}
        below = impact_of(resolver, [Change("sub.py", files["sub.py"].replace("3", "4"))], [], Limits())
        assert used(below) == {"Base.go": ("call", "likely")}


def test_tests_of_the_same_package_count(folder: Path) -> None:
    files = {
        "go.mod": "module x\n",
        "tide/tide.go": "package tide\n\nvar hooks = map[string]func(){}\n\nfunc run() {}\n",
        "tide/other_test.go": 'package tide\n\nimport "testing"\n\nfunc TestAll(t *testing.T) {}\n',
        "far/far_test.go": 'package far\n\nimport "testing"\n\nfunc TestFar(t *testing.T) {}\n',
        "src/main/java/p/Yard.java": "package p;\nclass Yard { int count() { return 1; } }\n",
        "src/test/java/p/OtherTest.java": "package p;\nclass OtherTest { }\n",
        "src/test/java/q/FarTest.java": "package q;\nclass FarTest { }\n",
    }
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("tide/tide.go"), Change("src/main/java/p/Yard.java")], [], Limits())
        assert how(found) == {"tide/other_test.go": "package", "src/test/java/p/OtherTest.java": "package"}


def test_tests_that_are_named_after_a_file_count_in_every_language(folder: Path) -> None:
    files = {
        "src/user_model.py": "def f():\n    pass\n",
        "tests/test_user_model.py": "def test_f():\n    pass\n",
        "tests/test_other.py": "def test_g():\n    pass\n",
        "web/board.ts": "export const a = 1;\n",
        "web/board.test.ts": "test('a', () => {});\n",
        "web/__tests__/menu.test.ts": "test('b', () => {});\n",
        "lib/yard.rb": "class Yard\nend\n",
        "spec/yard_spec.rb": "describe 'yard' do\nend\n",
        "app/Clock.cs": "class Clock { }\n",
        "app.Tests/ClockTests.cs": "class ClockTests { }\n",
    }
    changes = [Change(path) for path in ("src/user_model.py", "web/board.ts", "lib/yard.rb", "app/Clock.cs")]
    with resolver_of(folder, files) as resolver:
        assert how(impact_of(resolver, changes, [], Limits())) == {
            "tests/test_user_model.py": "named after",
            "web/board.test.ts": "named after",
            "spec/yard_spec.rb": "named after",
            "app.Tests/ClockTests.cs": "named after",
        }


def test_of_several_tests_of_one_name_those_in_folders_of_the_same_name_are_meant(folder: Path) -> None:
    files = {
        "app/auth/views.py": "def f():\n    pass\n",
        "app/shop/views.py": "def g():\n    pass\n",
        "tests/auth_tests/test_views.py": "def test_f():\n    pass\n",
        "tests/shop/test_views.py": "def test_g():\n    pass\n",
    }
    with resolver_of(folder, files) as resolver:
        assert how(impact_of(resolver, [Change("app/auth/views.py")], [], Limits())) == {
            "tests/auth_tests/test_views.py": "named after"
        }


@pytest.mark.parametrize(
    ("path", "before", "after", "user"),
    [
        (
            "m.py",
            "def old(a):\n    return a\n",
            "def new(a):\n    return a\n",
            "from m import old\n\n\ndef u():\n    old(1)\n",
        ),
        ("m.py", "OLD = [1, 2]\n", "NEW = [1, 2]\n", "from m import OLD\n\n\ndef u():\n    return OLD\n"),
        (
            "m.ts",
            "export function old(a: number) {\n  return a;\n}\n",
            "export function fresh(a: number) {\n  return a;\n}\n",
            "import { old } from './m';\nexport function u() {\n  old(1);\n}\n",
        ),
    ],
)
def test_what_has_another_name_at_its_place_is_told_as_renamed_with_its_uses(
    folder: Path, path: str, before: str, after: str, user: str
) -> None:
    with resolver_of(folder, {path: after, f"u.{path[2:]}": user}) as resolver:
        found = impact_of(resolver, [Change(path, before)], [], Limits())
        (told,) = found.symbols
        assert (told.change, told.former.casefold(), told.uses) == ("renamed", "old", 2)
        assert told.line > 0
        assert [(item.node.name, item.reason) for item in found.users] == [("u", "removed, still used")]


def test_a_class_of_another_name_takes_its_members_with_it(folder: Path) -> None:
    before = "class Old:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    with resolver_of(folder, {"m.py": before.replace("Old", "New").replace("return 2", "return 3")}) as resolver:
        found = impact_of(resolver, [Change("m.py", before)], [], Limits())
        assert {item.name: (item.change, item.former) for item in found.symbols} == {
            "New": ("renamed", "Old"),
            "New.g": ("modified", ""),
        }


def test_a_deleted_file_is_a_change_of_all_that_it_defined(folder: Path) -> None:
    files = {
        "u.py": "from old import LIMIT, f\n\n\ndef u():\n    f()\n    return LIMIT\n",
        "tests/test_u.py": "from u import u\n\n\ndef test_u():\n    u()\n",
    }
    with resolver_of(folder, files) as resolver:
        texts = {"old.py": "LIMIT = 1\n\n\ndef f():\n    pass\n"}
        found = impact_of(resolver, [], ["old.py"], Limits(depth=2), texts=texts)
        assert {item.name: (item.change, item.uses) for item in found.symbols} == {
            "LIMIT": ("removed", 2),
            "f": ("removed", 2),
        }
        assert [item.node.name for item in found.users] == ["u", "test_u"]
        assert how(found) == {"tests/test_u.py": "uses"}


def test_what_is_open_is_counted_and_a_test_that_only_has_the_name_is_the_last(folder: Path) -> None:
    files = {
        "m.py": "class A:\n    def handle_it(self): ...\n\n\nclass B:\n    def handle_it(self): ...\n",
        "tests/test_a.py": "def test_one(x):\n    x.handle_it()\n\n\ndef test_two(x):\n    x.handle_it()\n",
        "tests/test_b.py": "from m import A\n\n\ndef test_three(a: A):\n    a.handle_it()\n",
    }
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("m.py")], [], Limits())
        assert found.unresolved == 2
        assert [(item.path, item.how, item.tier, item.names) for item in found.tests] == [
            ("tests/test_b.py", "uses", "proven", ("test_three",)),
        ]
        assert [(item.path, item.how, item.tier, item.names) for item in found.weak_tests] == [
            ("tests/test_a.py", "name", "name", ()),
        ]


def test_files_that_help_tests_are_none_where_tests_are_named_as_such(folder: Path) -> None:
    files = {
        "m.py": "def f():\n    pass\n",
        "tests/helper.py": "from m import f\n\n\ndef help_it():\n    f()\n",
        "tests/conftest.py": "from m import f\n\n\ndef more():\n    f()\n",
        "tests/test_one.py": "from tests.helper import help_it\n\n\ndef test_it():\n    help_it()\n",
        "tests/test_two.py": "from m import f\n\n\ndef test_it():\n    f()\n",
        "tests/test_three.py": "def test_nothing():\n    pass\n",
        "test/app.js": "const f = require('../f');\nf();\n",
        "f.js": "module.exports = function f() {};\n",
    }
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("m.py"), Change("f.js")], [], Limits(depth=2))
        assert [item.path for item in found.tests] == ["test/app.js", "tests/test_two.py", "tests/test_one.py"]


def test_tests_that_were_changed_together_with_a_file_count_by_their_share_of_the_commits(folder: Path) -> None:
    files = {
        "m.py": "def f():\n    pass\n",
        "tests/test_often.py": "def test_a():\n    pass\n",
        "tests/test_once.py": "def test_b():\n    pass\n",
        "tests/test_never.py": "def test_c():\n    pass\n",
    }
    counts = {"tests/test_often.py": (6, 0.6), "tests/test_once.py": (1, 0.1), "u.py": (9, 0.9)}
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("m.py")], [], Limits(), together=lambda _paths: counts)
        assert [(item.path, item.how) for item in (*found.tests, *found.weak_tests)] == [
            ("tests/test_often.py", "together"),
            ("tests/test_once.py", "together"),
        ]


def test_only_what_was_changed_is_overridden_and_open(folder: Path) -> None:
    files = {
        "a.py": "class A:\n    def changed(self): ...\n    def asks(self):\n        self.changed()\n\n\n"
        "class B(A):\n    def changed(self): ...\n    def asks(self): ...\n\n\nclass C:\n    def asks(self): ...\n",
        "b.py": "def f(x):\n    x.asks()\n",
        "c.py": "def g(x):\n    x.changed()\n",
    }
    with resolver_of(folder, files) as resolver:
        found = reach(resolver, [one(resolver, "A.changed")], Limits(depth=2))
    assert {node.name for node in found.nodes} == {"A.changed", "A.asks", "B.changed"}
    assert dict(found.by_name) == {"c.py": 1}
    assert found.unresolved == 2


def test_the_first_fifth_of_all_tests_is_told_however_much_speaks_for_the_first() -> None:
    reason = Reason("uses", 1, "proven")
    scores = (5.0, 0.2, 0.1, 0.05)
    tests = [ReachingTest(f"test_{at}.py", 1, "proven", "uses", score, (reason,)) for at, score in enumerate(scores)]
    assert [len(strong(tests, of)) for of in (0, 5, 6, 14, 100)] == [1, 1, 2, 3, 4]
