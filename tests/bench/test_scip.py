import pytest
from bench.scip import plain_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("scip-python python p 0 `p.m`/Thing#", "Thing"),
        ("scip-python python p 0 `p.m`/Thing#run().", "run"),
        ("scip-typescript npm p 1 src/`a.ts`/over(+1).", "over"),
        ("scip-python python p 0 `p.m`/LIMIT.", "LIMIT"),
        ("scip-typescript npm p 1 src/`a.ts`/Thing#`a-b`.", "a-b"),
        ("scip-python python p 0 `p.m`/run().(argument)", ""),
        ("scip-typescript npm p 1 src/`a.ts`/Thing#[T]", ""),
        ("scip-python python p 0 `p.m`/__init__:", ""),
        ("scip-typescript npm p 1 src/`a.ts`/", ""),
        ("local 12", ""),
        ("", ""),
    ],
)
def test_a_type_a_term_and_a_method_have_plain_names(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name
