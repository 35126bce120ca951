"""What the snapshot's facts account for is told without a parse, and is what a parse would tell."""

from pathlib import Path

import pytest

from cairn.graph.references import accounted
from cairn.syntax.receivers import plain_receiver
from cairn.syntax.uses import Use, uses_of
from tests.graph.worlds import resolver_of

pytestmark = pytest.mark.sampled

_CLASS = "class A:\n    def get(self, x):\n        y = x.get(1)\n        return (y or x).get(2)\n\n\nv = A.get\n"


def _told(folder: Path, path: str, source: str, name: str) -> tuple[tuple[Use, ...] | None, list[Use]]:
    with resolver_of(folder, {path: source}) as resolver:
        world = resolver.world
        calls = [call for home, call in world.calls_named(name) if home == path]
        data = source.encode()
        return accounted(data, name, calls, world.scope(path)), uses_of(path, world.languages[path], data, name)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", _CLASS.replace("v = A.get\n", "v = a.b.get()\n")),
        ("a.js", "class A {\n  get(x) {\n    return x.get();\n  }\n}\nconst é = a?.get();\n"),
        ("a.rs", "fn f() {\n    A::get();\n    x.y.get();\n}\n"),
    ],
)
def test_calls_of_members_and_definitions_need_no_parse(folder: Path, path: str, source: str) -> None:
    found, parsed = _told(folder, path, source, "get")
    assert found is not None
    assert [(use.line, use.column, use.role) for use in found] == [(use.line, use.column, use.role) for use in parsed]
    calls = [(use.receiver, use.within) for use in found if use.role == "call"]
    assert calls == [(plain_receiver(use.receiver), use.within) for use in parsed if use.role == "call"]


@pytest.mark.parametrize(
    "source",
    [
        _CLASS,
        "x.get()  # or get\n",
        "x.get(); x.get()\n",
        "x = a \\\n  .get()\n",
        "def f(get):\n    get()\n",
        "@x.get(1)\ndef f(): pass\n",
        "def get(): return x.get()\n",
    ],
)
def test_what_facts_dont_tell_is_left_to_a_parse(folder: Path, source: str) -> None:
    assert _told(folder, "a.py", source, "get")[0] is None
