"""What fits into a budget: never more, in order, and nothing is lost unseen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.notes import Lift
from cairn.config.project import MAX_BUDGET_TOKENS
from cairn.kernel.tokens import token_cost
from cairn.search import Piece, Unit, fit
from cairn.search.budget import written
from tests.notes import sentences

TEXT = st.text(max_size=60)


@st.composite
def units(draw: st.DrawFn) -> Unit:
    body = draw(TEXT) * draw(st.integers(0, 40))
    first = draw(st.integers(1, 10_000))
    last = first + draw(st.integers(0, 500))
    part = draw(st.none() | TEXT.map(lambda text: Piece("chunk", text * 3, first, last)))
    return Unit(
        path=draw(st.text(min_size=1, max_size=30)),
        symbol=draw(TEXT),
        whole=Piece("chunk" if part is None else "definition", body, first, last),
        signature=Piece("signature", draw(TEXT), first, last),
        part=part,
        root=draw(st.sampled_from(("", "/one", "/two"))),
    )


def unit(name: str, size: int, *, signature: int = 8, part: int = 0) -> Unit:
    """A unit whose forms take so many bytes of text."""
    return Unit(
        name,
        "",
        Piece("definition", "x" * size, 1, 9),
        Piece("signature", "s" * signature, 1, 9),
        Piece("chunk", "c" * part, 3, 5) if part else None,
    )


def forms(found: list[Unit], budget: int) -> list[str]:
    return [item.piece.form for item in fit(found, budget).shown]


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
@given(st.lists(units(), max_size=12), st.integers(1, 2_000))
def test_any_answer_keeps_any_budget_and_loses_nothing(found: list[Unit], budget: int) -> None:
    fitted = fit(found, budget)
    text = "".join(written(found[item.index], item.piece) for item in fitted.shown)
    assert token_cost(text) <= fitted.used_tokens <= budget
    # In order, each once: what is shown first, then what is left out.
    assert [item.index for item in fitted.shown] == list(range(len(fitted.shown)))
    assert [(item.root, item.path) for item in fitted.left_out] == [
        (each.root, each.path) for each in found[len(fitted.shown) :]
    ]
    for item in fitted.shown:
        of = found[item.index]
        assert item.piece in (of.whole, of.signature, of.part)
    assert fitted.is_cut == (fitted.used_tokens < fitted.full_tokens or bool(fitted.left_out))
    assert (fitted.note is not None) == fitted.is_cut


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
@given(st.lists(units(), max_size=12), st.integers(1, 500))
def test_the_budget_that_the_hint_names_shows_everything(found: list[Unit], budget: int) -> None:
    fitted = fit(found, budget)
    if fitted.is_cut:
        assert fitted.note is not None
        assert fitted.note.lift == Lift("budget_tokens", fitted.full_tokens)
        enough = fit(found, fitted.full_tokens)
        assert [item.piece for item in enough.shown] == [each.whole for each in found]
        assert not enough.is_cut
        assert enough.note is None


@pytest.mark.requirement("BUDGET.1")
def test_whole_definitions_come_first_and_signatures_where_bodies_do_not_fit() -> None:
    found = [unit("one", 100), unit("two", 1_000), unit("three", 100)]
    assert forms(found, 1_000) == ["definition"] * 3
    assert forms(found, 80) == ["definition", "signature", "definition"]
    assert forms(found, 48) == ["definition", "signature", "signature"]


@pytest.mark.requirement("BUDGET.1")
def test_a_worse_place_never_stands_in_for_a_better_one() -> None:
    fitted = fit([unit("one", 100), unit("two", 1_000, signature=400), unit("three", 4)], 60)
    assert [item.index for item in fitted.shown] == [0]
    assert [item.path for item in fitted.left_out] == ["two", "three"]


@pytest.mark.requirement("BUDGET.1")
def test_what_is_left_over_goes_to_the_parts_that_matched() -> None:
    found = [unit("one", 4_000, part=200), unit("two", 40)]
    assert forms(found, 100) == ["chunk", "definition"]
    assert forms(found, 40) == ["signature", "definition"]
    assert fit(found, 100).shortened == 1


@pytest.mark.requirement("BUDGET.1")
def test_a_part_is_shown_only_where_all_of_it_fits() -> None:
    found = [unit("one", 4_000, part=200)]
    needed = token_cost(written(found[0], Piece("chunk", "c" * 200, 3, 5)))
    assert forms(found, needed) == ["chunk"]
    assert fit(found, needed).used_tokens == needed
    assert forms(found, needed - 1) == ["signature"]


@pytest.mark.requirement("BUDGET.1")
def test_when_not_even_the_first_signature_fits_that_is_said() -> None:
    fitted = fit([unit("one", 100)], 2)
    assert (fitted.shown, fitted.used_tokens, fitted.is_cut) == ((), 0, True)
    (missing,) = fitted.left_out
    assert (missing.path, missing.start_line, missing.end_line) == ("one", 1, 9)
    assert missing.tokens == fitted.full_tokens == token_cost(written(unit("one", 100), unit("one", 100).whole))


@pytest.mark.slow
def test_more_than_any_budget_is_answered_with_another_way() -> None:
    for budget, said in ((100, f"--budget {MAX_BUDGET_TOKENS}) shows more."), (MAX_BUDGET_TOKENS, "path: or lang:")):
        fitted = fit([unit("one", 5 * MAX_BUDGET_TOKENS)], budget)
        assert fitted.full_tokens > MAX_BUDGET_TOKENS
        assert fitted.note is not None
        assert said in sentences([fitted.note])[0]
