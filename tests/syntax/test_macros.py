"""Words in the bodies of macros are uses; what is no name in them is none."""

import pytest

from cairn.graph.occurrences import uses_in
from cairn.syntax.blocks import QUOTED, block_by_reference, occurrence_block
from tests.named import places


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define a foo\n", ["1:10 foo read"]),
        ("#define a(x, y) foo(x->y)\n", ["1:16 foo call", "1:20 x local", "1:23 y local"]),
        ("#define a b.c->d(e)\n", ["1:10 b read", "1:12 c read of b", "1:15 d call of b.c", "1:17 e read"]),
        ("#define a (b)->c\n", ["1:11 b read", "1:15 c read of ?"]),
        ("#define a do { struct s *p; } while(0)\n", ["1:22 s type", "1:25 p read"]),
        ("#define a \\\n  foo(1) \\\n  + bar\n", ["2:2 foo call", "3:4 bar read"]),
        ("#define a(x) foo_##x + #x\n", ["1:19 x local", "1:24 x local"]),
        ("#define a(x) x##foo + x ## bar + x\n", ["1:13 x local", "1:22 x local", "1:33 x local"]),
        ("#define a foo##bar ## baz qux\n", ["1:26 qux read"]),
        ('#define a "foo \\" bar" \'b\' 0x1fUL 1e+foo L"x"\n', []),
        ('#define a "x"PRIu64 foo // bar\n', ["1:13 PRIu64 read", "1:20 foo read"]),
        ("#define a it's foo\n", ["1:10 it read", "1:13 s read", "1:15 foo read"]),
        ("#define a é foo\n", ["1:13 foo read"]),
        ("#undef foo\n", ["1:7 foo read"]),
        ("#error foo\n#pragma foo\n", []),
    ],
)
@pytest.mark.parametrize("path", ["m.c", "m.cpp"])
def test_words_of_bodies(path: str, text: str, expected: list[str]) -> None:
    language, data = path.rpartition(".")[2], text.encode()
    block = occurrence_block(path, language, data)
    uses = uses_in(row for row in places(block) if row.what & QUOTED)
    assert expected == [
        f"{use.line}:{use.column} {use.name} {'local' if use.local else use.role}"
        + (f" of {use.receiver}" if use.receiver and not use.local else "")
        for use in uses
    ]
    assert block == block_by_reference(path, language, data)
