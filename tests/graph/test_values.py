"""Receivers that a reader could name the type of: what each line of a program calls stands behind it.

`=> proven A.go` is sure, `=> likely A.go B.go` one of them, `=> name` no more than the name, `=> outside` nobody's.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from cairn.graph.callsites import call_sites_of
from cairn.graph.references import find_uses
from cairn.graph.resolve import LIKELY, NAME, Meaning
from tests.graph.valued import PROGRAMS
from tests.graph.worlds import one, resolver_of

_SAID = re.compile(r"\b([gG]o)\(.*=> (.+?)\s*$")


@pytest.mark.sampled
@pytest.mark.requirement("REF.23")
@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_a_receiver_has_the_type_that_a_reader_could_name(folder: Path, language: str) -> None:
    files = PROGRAMS[language]
    faults = []
    with resolver_of(folder, files) as resolver:
        calls = call_sites_of(resolver)
        for path, text in files.items():
            for number, line in enumerate(text.split("\n"), start=1):
                said = _SAID.search(line)
                if said is None:
                    continue
                found = [call.meaning for call in calls.in_file(path, said[1]) if call.use.line == number]
                if [_told(each) for each in found[-1:]] != [said[2]]:
                    faults.append(f"{path}:{number} {line.strip()} but {[*map(_told, found)]}")
    assert not faults, "\n".join(faults)


def _told(meaning: Meaning) -> str:
    if meaning.outside:
        return "outside" if not meaning.open else NAME
    names = sorted({item.symbol.qualified_name for item in meaning.targets})
    return NAME if meaning.tier in ("", NAME) else f"{meaning.tier} {' '.join(names)}"


def test_what_is_made_from_itself_time_and_again_takes_no_time(folder: Path) -> None:
    steps = "".join(f"    x = x.step{number % 3}(x)\n    x.go()\n" for number in range(400))
    text = f"class A:\n    def go(self): ...\n    def step0(self, x): return self\n\n\ndef f():\n    x = A()\n{steps}"
    with resolver_of(folder, {"a.py": text}) as resolver:
        found = call_sites_of(resolver).in_file("a.py", "go")
        assert {call.meaning.tier for call in found} == {LIKELY}
        assert len(found) == 400


def test_functions_that_give_back_what_the_next_one_gives_are_each_asked_once(folder: Path) -> None:
    """Each has two ways to the next one, and the way is too long to be gone to its end."""
    text = "".join(f"def g{at}(a):\n    x = g{at + 1}(a)\n    return x.go()\n" for at in range(120))
    with resolver_of(folder, {"a.py": text, "b.py": "from a import g0\ng0(1).go()\n"}) as resolver:
        [call] = call_sites_of(resolver).in_file("b.py", "go")
        assert _told(call.meaning) == NAME


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "a.go",
            "package p\n\ntype A struct{}\n\nfunc (a A) Go() {}\n\ntype B struct{}\n\nfunc (b B) Go() {}\n\n"
            "func mk() A { return A{} }\n\nfunc one() {\n\tf := func(t B) { t.Go() }\n\t_ = f\n"
            "\tt := mk()\n\tt.Go()\n}\n\nfunc two() {\n\tt := mk()\n\tt.Go()\n}\n",
        ),
        (
            "a.ts",
            "class A { Go() {} }\nclass B { Go() {} }\n"
            "export function one(bs: B[]) {\n  bs.forEach((t: B) => t.Go());\n"
            "  const t = new A();\n  t.Go();\n}\nexport function two() {\n  const t = new A();\n  t.Go();\n}\n",
        ),
        (
            "a.java",
            "class A { void Go() {} }\nclass B { void Go() {} }\nclass L {\n  static A mk() { return new A(); }\n"
            "  void one(java.util.List<B> bs) {\n    bs.forEach((B t) -> t.Go());\n  }\n"
            "  void two() {\n    var t = mk();\n    t.Go();\n    t.Go();\n  }\n}\n",
        ),
    ],
)
def test_the_type_of_a_closures_parameter_is_of_its_closure_alone(folder: Path, path: str, text: str) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        for name, count in (("A.Go", 2), ("B.Go", 1)):
            found = find_uses(resolver, [one(resolver, name)])
            assert Counter(use.tier for use in found.items) == {"proven": count}, name
