"""Renames in TypeScript of what is known without its name being used: by its form, by keys, by whole modules."""

import pytest

from cairn.edit.source.values import NEEDS_DECISION, OK_SYNTACTIC, REFUSED
from tests.edit.samples import Rename, Words, why
from tests.edit.test_scripts import edited

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]

GO = "export function go() { return 1 }\n"
FRESH = GO.replace("go", "fresh")


def _files(**texts: str) -> dict[str, tuple[str, Words]]:
    return {f"{name}.ts": (text, {}) for name, text in texts.items()}


@pytest.mark.parametrize(
    ("word", "text", "is_asked"),
    [
        ("go@2", "interface P { go(): number }\nclass A { go() {} }\nf(new A())\n", True),
        ("go@2", "interface P { go(): number; stop(): void }\nclass A { go() {} }\nf(new A())\n", False),
        ("go@2", "interface P { go(): number; stop?(): void }\nclass A { go() {} }\nf(new A())\n", True),
        (
            "go@2",
            "interface P { go(): void; stop(): void }\nclass A { go() {} }\nclass B extends A { stop() {} }\n",
            True,
        ),
        (
            "go@2",
            "interface P { go(): void; stop(): void }\nclass A { stop() {} }\nclass B extends A { go() {} }\n",
            True,
        ),
        (
            "go",
            "interface P { go(): void; stop(): void }\nclass A { go() {} }\nclass B extends A { stop() {} }\n",
            True,
        ),
    ],
)
def test_a_class_may_stand_for_an_interface_with_what_it_and_its_heirs_have(
    rename: Rename, word: str, text: str, is_asked: bool
) -> None:
    assert ("same_member" in why(rename(word, _files(m=text)))) == is_asked


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('import * as N from "./n.ts"\nN["go"]()\n', 'import * as N from "./n.ts"\nN["fresh"]()\n'),
        ("const N = require('./n')\nN['go']()\n", "const N = require('./n')\nN['fresh']()\n"),
        ("import * as N from './all'\nN['go']()\n", "import * as N from './all'\nN['fresh']()\n"),
        ("import * as N from './n'\nit['go'] = { 'go': N }\n", ""),
        ("const { go } = await import('./n.ts')\ngo()\n", "const { fresh } = await import('./n.ts')\nfresh()\n"),
        ("const { go } = require('./n')\ngo()\n", "const { fresh } = require('./n')\nfresh()\n"),
        ("const { go: run } = await import('./n')\nrun()\n", "const { fresh: run } = await import('./n')\nrun()\n"),
    ],
)
def test_what_is_taken_out_of_a_module_by_a_key_follows(rename: Rename, before: str, after: str) -> None:
    files = _files(n=GO, all="export * from './n'\n", m=before)
    found = rename("go", files)
    assert (found.status, edited(found, files)) == (OK_SYNTACTIC, {"n.ts": FRESH} | ({"m.ts": after} if after else {}))


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ({"b": "export const y = 1\n", "n": "export * from './a.ts'\nexport * from './b.ts'\n"}, "b.ts:1"),
        ({"n": "export * from './a'\nexport const y = 1\n"}, "n.ts:2"),
        ({"b": "export const y = 1\n", "n": "export * from './a'\n"}, ""),
        ({"b": "const y = 1\nexport const z = y\n", "n": "export * from './a'\nexport * from './b'\n"}, ""),
    ],
)
def test_a_new_name_that_a_file_has_from_another_module_is_refused(
    rename: Rename, texts: dict[str, str], reason: str
) -> None:
    found = rename("go", _files(a=GO, **texts, m="import { go } from './n'\ngo()\n"), new="y")
    said = (f"{reason} defines y already, and n.ts has the names of both",) if reason else ()
    assert (found.status, found.reasons) == (REFUSED if reason else OK_SYNTACTIC, said)


@pytest.mark.parametrize(
    ("use", "is_asked"),
    [
        ("const a: A = JSON.parse('{\"size\": 2}')", True),
        ("list(Object.keys(new A()))", True),
        ("list(Object.keys(new A))", True),
        ("list(JSON.stringify((new A(f(1)) as any)))", True),
        ("for (const key in new A()) list(key)", True),
        ("list(Object.keys(new B()))", False),
    ],
)
def test_what_is_made_and_read_at_once_is_read_by_its_names(rename: Rename, use: str, is_asked: bool) -> None:
    found = rename("size", _files(m=f"class A {{ size = 1 }}\nclass B {{ own = 1 }}\n{use}\n"))
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"name_as_data"}) if is_asked else (OK_SYNTACTIC, set()))


def test_two_things_of_one_name_on_a_line_are_told_apart(rename: Rename) -> None:
    files = _files(m="class K { static K = 1 }\nlist(K.K)\n")
    found = rename("K", files)
    after = "class fresh { static K = 1 }\nlist(fresh.K)\n"
    assert (found.status, edited(found, files)) == (OK_SYNTACTIC, {"m.ts": after})


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("eval(it)\nlist('go')\n", False),
        ("import { go } from './n'\ngo()\neval(it)\nlist('go')\n", True),
        ("import * as all from './all'\neval(it)\nlist('go')\n", True),
        ("import { y } from './y'\neval(it)\nlist('go')\n", False),
    ],
)
def test_a_text_that_is_run_knows_what_its_file_does(rename: Rename, text: str, is_asked: bool) -> None:
    found = rename("go", _files(n=GO, all="export * from './n'\n", y="export const y = 1\n", m=text))
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"name_as_data"}) if is_asked else (OK_SYNTACTIC, set()))


def test_a_text_that_is_run_knows_what_is_in_no_module(rename: Rename) -> None:
    files: dict[str, tuple[str, Words]] = {"n.js": ("function go() {}\n", {}), "m.js": ("eval(it)\nlist('go')\n", {})}
    assert rename("go", files).status == NEEDS_DECISION


@pytest.mark.parametrize(("kind", "is_asked"), [("interface Box {}", False), ("class Box {}", True)])
def test_of_a_type_alone_nothing_is_left_to_be_listed(rename: Rename, kind: str, is_asked: bool) -> None:
    files = _files(
        m=f"export namespace All {{\n  export {kind}\n}}\nfunction f(it: any) {{ list(Object.keys(it)) }}\nf(All)\n"
    )
    assert (why(rename("Box", files)) == {"name_as_data"}) == is_asked


@pytest.mark.parametrize(
    ("use", "is_open"),
    [
        ("new it.window.Box(1)", False),
        ("it.window.Box", True),
        ("it as globalThis.Box", False),
    ],
)
def test_a_type_is_not_called_and_a_module_has_nothing_in_the_global_object(
    rename: Rename, use: str, is_open: bool
) -> None:
    found = rename("Box", _files(n="export type Box = 1\n", m=f"export function f(it: any) {{ list({use}) }}\n"))
    assert (found.status, bool(found.opened)) == ((NEEDS_DECISION, True) if is_open else (OK_SYNTACTIC, False))
