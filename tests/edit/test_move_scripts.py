"""Moves in TypeScript and JavaScript."""

import re
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.moves import Moving
from tests.edit.test_move import Move, doubts, move, said
from tests.trees import write

__all__ = ["move"]


SCRIPTS = {
    "package.json": '{"name": "x", "type": "module"}\n',
    "src/a.ts": (
        "import { helper } from './c';\nimport type { Kind } from './c';\n\nconst limit = 3;\n\n"
        "/** What it does. */\nexport function f(x: Kind): number {\n  return helper(x);\n}\n\n"
        "export function g() {\n  return limit;\n}\n"
    ),
    "src/b.ts": "import { helper } from './c';\n\nexport const other = helper(1);\n",
    "src/c.ts": "export type Kind = number;\nexport function helper(x: Kind) {\n  return x;\n}\n",
    "src/index.ts": "export { f } from './a';\nexport * from './b';\n",
    "src/main.ts": "import { f, g } from './a';\n\nconsole.log(f(2), g());\n",
}


@pytest.mark.slow
def test_scripts_move_with_their_comments_types_and_exports(move: Move) -> None:
    planned, tree = move(SCRIPTS, "src/a.ts", "f", "src/b.ts")
    assert planned.applicable, said(planned)
    assert tree["src/a.ts"] == "const limit = 3;\n\nexport function g() {\n  return limit;\n}\n"
    assert tree["src/b.ts"] == (
        "import { helper } from './c';\nimport type { Kind } from './c';\n\nexport const other = helper(1);\n\n"
        "/** What it does. */\nexport function f(x: Kind): number {\n  return helper(x);\n}\n"
    )
    assert tree["src/index.ts"] == "export { f } from './b';\nexport * from './b';\n"
    assert tree["src/main.ts"] == "import { g } from './a';\nimport { f } from './b';\n\nconsole.log(f(2), g());\n"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("importing", "used", "after"),
    [
        ("import { f as h } from './a';", "h(1)", "import { f as h } from './b';"),
        ("import * as a from './a';", "a.f(1)", "import * as a from './a';\nimport * as b from './b';"),
        ("import { f } from './index';", "f(1)", "import { f } from './index';"),
        ("import { f } from './a.js';", "f(1)", "import { f } from './b.js';"),
        ("import type { f } from './a';", "1 as unknown as typeof f", "import type { f } from './b';"),
        ("export * from './a';", "1", "export * from './a';\nexport { f } from './b';"),
    ],
)
def test_each_way_of_scripts_to_take_it_is_mended(move: Move, importing: str, used: str, after: str) -> None:
    planned, tree = move(
        SCRIPTS | {"src/main.ts": f"{importing}\n\nconsole.log({used});\n"}, "src/a.ts", "f", "src/b.ts"
    )
    assert planned.applicable, said(planned)
    assert tree["src/main.ts"].startswith(after + "\n\n"), tree["src/main.ts"]


def test_what_scripts_need_of_the_old_module_is_exported_there_and_a_private_name_becomes_public(move: Move) -> None:
    a = "const limit = 3;\n\nfunction f() {\n  return limit;\n}\n\nexport { limit as most };\n"
    files = {"src/a.ts": a, "src/new/d.ts": "export {};\n"}
    planned, tree = move(files, "src/a.ts", "f", "src/new/b.ts")
    assert planned.applicable, said(planned)
    assert tree["src/a.ts"] == "export const limit = 3;\n\nexport { limit as most };\n"
    assert tree["src/new/b.ts"].endswith("export function f() {\n  return limit;\n}\n")
    assert "from '../a'" in tree["src/new/b.ts"].replace('"', "'")


def test_a_cycle_of_scripts_and_a_mocked_module_are_asked_about(move: Move) -> None:
    a = "export const limit = 3;\n\nexport function f() {\n  return limit;\n}\n\nexport const g = () => f();\n"
    planned, _ = move({"src/a.ts": a, "src/b.ts": "export {};\n"}, "src/a.ts", "f", "src/b.ts")
    assert planned.draft.status == "needs_decision"
    assert doubts(planned) == {"import_cycle"}
    test = "import { f } from './a';\n\njest.mock('./a');\n\ntest('f', () => f(1));\n"
    planned, _ = move(SCRIPTS | {"src/a.test.ts": test}, "src/a.ts", "f", "src/b.ts")
    assert {each.why for each in planned.draft.opened} == {"mocked_module"}


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        ("export default function f() {}\n", "is the default of its module: export it by its name first"),
        ("export const f = 1, g = 2;\n", "no statement of its own"),
        ("function f() {}\nmodule.exports = { f };\n", "exports by assignments"),
        ("function f() {}\nexport { f as h };\n", "by another name"),
        ("let n = 0;\nexport function f() {\n  n = 1;\n}\n", "another value"),
    ],
)
def test_what_scripts_can_not_move_is_refused_with_the_reason(move: Move, folder: Path, old: str, reason: str) -> None:
    for each, text in {"src/a.ts": old, "src/b.ts": "export {};\n"}.items():
        write(folder, each, text)
    with Codebase(str(folder)) as codebase:
        codebase.index()
        at = re.search(r"\bf\b", old)
        assert at is not None
        line = old.count("\n", 0, at.start()) + 1
        planned = Moving(codebase).plan_move("src/a.ts", line, at.start() - old.rfind("\n", 0, at.start()), "src/b.ts")
    assert reason in said(planned), said(planned)


def test_types_are_imported_as_types_and_make_no_cycle(move: Move) -> None:
    a = "type Size = number;\n\nexport interface Box {\n  size: Size;\n}\n\nexport const box: Box = { size: 1 };\n"
    planned, tree = move({"src/a.ts": a, "src/b.ts": "export {};\n"}, "src/a.ts", "Box", "src/b.ts")
    assert planned.applicable, said(planned)
    assert tree["src/a.ts"].startswith('import type { Box } from "./b";\n\nexport type Size')
    assert 'import type { Size } from "./a";' in tree["src/b.ts"]
