"""Rename suites of other tools are read as they are written, and a rename is right only if it makes their files."""

from pathlib import Path

import pytest
from bench.renamesuites import RIGHT, judged, read

_BASELINE = """// === findRenameLocations ===
// === /a.ts ===
// export const /*RENAME*/[|sizeRENAME|] = 1;

// === /b.ts ===
// import { [|sizeRENAME|] } from "./a";
// const all = { /*START PREFIX*/size: [|sizeRENAME|] };



// === findRenameLocations ===
// === /a.ts ===
// --- (line: 1) skipped ---
// [|sizeRENAME|]/*RENAME*/
"""
_ARCHIVE = """A title.

-- go.mod --
module example.com

-- a.go --
package a

type X struct{} //@rename("X", "Y", xToY)

var _ = X{} //@renameerr("X", "1", "no name")

-- @xToY/a.go --
@@ -3 +3 @@
-type X struct{} //@rename("X", "Y", xToY)
+type Y struct{} //@rename("X", "Y", xToY)
@@ -5 +5 @@
-var _ = X{} //@renameerr("X", "1", "no name")
+var _ = Y{} //@renameerr("X", "1", "no name")
"""


@pytest.mark.slow
def test_a_baseline_is_read_with_the_files_that_it_makes(tmp_path: Path) -> None:
    (file := tmp_path / "one.jsonc").write_text(_BASELINE, "utf-8")
    (asked,) = read(file)
    assert asked.files == {
        "a.ts": b"export const size = 1;\n",
        "b.ts": b'import { size } from "./a";\nconst all = { size };\n',
    }
    assert (asked.path, asked.line, asked.column) == ("a.ts", 1, 13)
    assert asked.wanted == {
        "a.ts": b"export const sizeRENAME = 1;\n",
        "b.ts": b'import { sizeRENAME } from "./a";\nconst all = { size: sizeRENAME };\n',
    }
    assert [each.verdict for each in judged([asked])] == [RIGHT]


def test_an_archive_is_read_with_its_differences(tmp_path: Path) -> None:
    (file := tmp_path / "one.txt").write_text(_ARCHIVE, "utf-8")
    first, second = read(file)
    assert sorted(first.files) == ["a.go", "go.mod"]
    assert first.wanted is not None
    assert first.wanted["a.go"].startswith(b"package a\n\ntype Y struct{}")
    assert (second.new, second.wanted) == ("1", None)
    assert [each.verdict for each in judged([first, second])] == [RIGHT, "refused"]
