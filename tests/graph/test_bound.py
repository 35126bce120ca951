"""Names that a function binds itself are not those of the same spelling outside."""

from collections.abc import Iterator

import pytest

from cairn.codebase.codebase import Codebase
from cairn.graph.calls import CALLEES, CALLERS, Limits
from cairn.graph.scopes import binds, may_bind
from tests.trees import Repo


@pytest.mark.parametrize(
    "text",
    [
        "foo = make()",
        "foo: Maker = make()",
        "a, foo = pair()",
        "foo, a = pair()",
        "for foo in things:",
        "with open(x) as foo:",
        "except Error as foo:",
        "lambda foo: foo()",
        "[foo() for foo in things]",
        "if (foo := make()):",
        "case foo:",
        "const foo = make();",
        "let { foo } = it;",
        "catch (foo) {",
        "things.map(foo => foo())",
        "things.map((a, foo) => foo())",
        "foo := make()",
        "for _, foo := range things {",
        "let foo = make();",
        "if let Some(foo) = it {",
        "things.map(|foo| foo())",
        "Some(foo) => foo(),",
        "void (*foo)(int) = 0;",
        "Maker foo = make();",
        "(a, foo) = pair()",
    ],
)
def test_words_that_bind_a_name(text: str) -> None:
    assert binds(f"    {text}\n    foo()\n", "foo")


@pytest.mark.parametrize(
    "text",
    [
        "foo()",
        "x = foo()",
        "if foo() == 1:",
        "a.foo = 1",
        "foobar = 1",
        "f(foo=1)",
        "f(a, foo=1)",
        "return foo",
        "x.foo()",
    ],
)
def test_words_that_only_use_it(text: str) -> None:
    assert not binds(f"    {text}\n", "foo")


@pytest.mark.parametrize("text", ["foo(1)", "x = foo.m()", "f(foo, 1)", "except foo:", "f(x, foo.y)", "import foo"])
def test_uses_alone_are_no_reason_to_parse(text: str) -> None:
    assert not may_bind("python", f"    {text}\n", "foo")


@pytest.fixture
def codebase(repo: Repo) -> Iterator[Codebase]:
    repo.write("lib.py", "def foo():\n    return 1\n")
    repo.write(
        "use.py",
        "from lib import foo\n\n\ndef real():\n    return foo()\n\n\n"
        "def local(things):\n    for foo in things:\n        foo()\n",
    )
    with Codebase(str(repo.path)) as made:
        made.index()
        yield made


def test_a_call_of_a_local_is_no_call_of_its_namesake(codebase: Codebase) -> None:
    up = codebase.insight.calls("foo", CALLERS, Limits()).value
    assert [node.name for node in up.nodes if node.depth] == ["real"]
    assert up.unresolved == 0
    down = codebase.insight.calls("local", CALLEES, Limits()).value
    assert [node.name for node in down.nodes if node.depth] == []
    assert down.unresolved == 1
