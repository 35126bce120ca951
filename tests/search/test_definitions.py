"""Which definitions of a file a long text means."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.search import Filters, SearchHit, parse_query
from cairn.search.definitions import MeantDefinition, definitions_meant, in_turn
from cairn.search.find import find
from cairn.search.query import STOP_WORDS
from cairn.search.report import Report, read_report
from cairn.store import RowHead, SymbolRow
from tests.trees import write

REPORT = read_report("Sledges are lost\n\nI called `Harbour.load_sledge` and it went wrong.\n", STOP_WORDS)
HEADS = {
    0: RowHead(1, 1, "anchor", ""),
    1: RowHead(1, 40, "text", "Harbour"),
    2: RowHead(41, 60, "text", "Harbour.store"),
}


def symbol(name: str, start: int, end: int, kind: str = "method", container: str = "Harbour") -> SymbolRow:
    qualified = f"{container}.{name}" if container else name
    return SymbolRow("syntax", name, qualified, kind, "", start, end, start, container, True, "")


def names(scores: list[float], *symbols: SymbolRow) -> list[str]:
    return [each.symbol.name for each in weighed({"sledg": 1.0}, scores, symbols)]


def weighed(
    worth: dict[str, float],
    scores: list[float],
    symbols: Sequence[SymbolRow],
    heads: dict[int, RowHead] = HEADS,
    lines: dict[int, str] | None = None,
    report: Report = REPORT,
    wanted: Sequence[SymbolRow] | None = None,
) -> list[MeantDefinition]:
    """The definitions of a file of 200 lines, which are empty unless `lines` says otherwise."""
    text = "\n".join((lines or {}).get(line, "") for line in range(1, 201)).encode()
    return definitions_meant(report, worth, 10.0, heads, np.array(scores), symbols, text, wanted)


def test_what_the_text_names_comes_before_what_shares_a_row_with_it() -> None:
    assert names([0.0, 0.5, 0.5], symbol("close", 2, 9), symbol("load_sledge", 10, 20)) == ["load_sledge", "close"]


def test_a_definition_over_several_rows_is_worth_its_best_one_and_a_type_its_head() -> None:
    long, short = symbol("sail", 30, 50), symbol("drift", 20, 29)
    assert names([0.0, 0.1, 0.9], short, long) == ["sail", "drift"]
    assert names([0.0, 0.1, 0.9], short, symbol("Boat", 30, 50, "class")) == ["drift", "Boat"]


def test_a_test_and_what_has_no_body_step_back() -> None:
    tested = symbol("sail", 30, 35, container="TestHarbour")
    assert names([0.0, 0.5, 0.1], tested._replace(qualified_name="test_sail"), symbol("drift", 42, 50)) == [
        "drift",
        "sail",
    ]
    assert names([0.0, 0.5, 0.1], symbol("speed", 3, 3, "field")) == []


def test_the_row_of_a_definition_is_the_one_that_holds_its_name() -> None:
    found = weighed({}, [0.0, 0.1, 0.9], [symbol("sail", 30, 50), symbol("load_sledge", 70, 80)])
    assert [(each.symbol.name, each.ordinal) for each in found] == [("sail", 1)]


def meant(*scores: float) -> list[MeantDefinition]:
    return [MeantDefinition(symbol(f"n{at}", at, at), 1, score, {}) for at, score in enumerate(scores)]


def test_the_best_place_of_each_file_keeps_their_order_and_others_fall_behind_by_how_much_worse_they_are() -> None:
    found = in_turn([5.0, 4.0, 3.9], [meant(0.1, 0.0, -2.0), meant(7.0, 6.99), []], -5.0, 3)
    firsts = [(at, None if each is None else each.symbol.name) for at, each, _ in found]
    assert firsts == [(0, "n0"), (0, "n1"), (1, "n0"), (1, "n1"), (2, None), (0, "n2")]
    assert [added for _, _, added in found] == [0.0, -0.5, 0.0, -0.05, 0.0, -10.5]


def test_a_file_is_shown_three_times_at_most() -> None:
    assert len(in_turn([1.0], [meant(*([1.0] * 9))], -5.0, 3)) == 3
    assert len(in_turn([1.0], [meant(*([1.0] * 9))], -5.0, 5)) == 5


def test_places_of_the_same_score_stand_by_file_and_line() -> None:
    found = in_turn([5.0, 5.0], [[*reversed(meant(1.0, 2.0))], meant(1.0)], 0.0, 3)
    assert [(at, each and each.symbol.name, added) for at, each, added in found] == [
        (0, "n0", 0.0),
        (0, "n1", 0.0),
        (1, "n0", 0.0),
    ]


def test_definitions_that_share_a_row_share_its_worth_and_need_a_name_to_stand_beside_the_first() -> None:
    quiet = [symbol(name, at, at, "function", "") for at, name in enumerate(("sail", "drift"), 10)]
    assert names([0.0, 0.9, 0.9], *quiet, symbol("anchor", 42, 43, "function", "")) == ["sail", "anchor"]
    spoken = [symbol("load_sledge", 12, 13), symbol("close", 14, 15), symbol("pull_sledg", 16, 17, container="")]
    assert names([0.0, 0.9, 0.9], *quiet, *spoken) == ["load_sledge", "close", "pull_sledg"]


def test_of_definitions_in_one_row_the_one_with_the_words_of_the_text_comes_first() -> None:
    symbols = [symbol(name, at, at + 3) for name, at in (("drift", 2), ("sail", 10), ("moor", 20))]
    lines = {3: "tide()", 12: "sledges = sledge.load()", 13: "x = 1", 21: "sledge = 0", 22: "wind = tide(x)"}
    found = weighed({"sledg": 1.0}, [0.0, 0.5, 0.5], symbols, lines=lines)
    assert [each.symbol.name for each in found] == ["sail", "moor", "drift"]
    assert [each.signals["own"] for each in found][::2] == [1.0, 0.0]


def test_a_definition_without_a_word_needs_no_place_beside_the_first_of_its_row() -> None:
    quiet = [symbol(name, at, at, "function", "") for at, name in enumerate(("sail", "drift", "moor"), 10)]
    found = weighed({"sledg": 1.0}, [0.0, 0.5, 0.5], quiet, lines={11: "sledge"})
    assert [each.symbol.name for each in found] == ["drift"]


def test_the_words_of_members_are_not_those_of_their_type() -> None:
    boat, sail = symbol("Boat", 2, 30, "class", ""), symbol("sail", 10, 20)
    lines = {5: "hull", 12: "sledge", 25: "sledge"}
    found = weighed({"sledg": 1.0, "hull": 0.1}, [0.0, 0.5, 0.5], [boat, sail], lines=lines)
    own = {each.symbol.name: each.signals["own"] for each in found}
    assert own["sail"] == 1.0
    assert 0.0 < own["Boat"] < 0.5


def test_of_a_large_file_the_best_rows_are_weighed_and_what_the_text_names() -> None:
    heads = {at: RowHead(at, at, "text", "") for at in range(1, 200)}
    scores = [0.0] + [1.0 if at >= 150 else 0.5 for at in range(1, 200)]
    many = [symbol(f"n{at}", at, at) for at in range(1, 200) if at not in (7, 9)]
    over = [symbol("load_sledge", 7, 7), symbol("far", 9, 160)]
    found = weighed({}, scores, many + over, heads)
    assert {each.symbol.name for each in found} == {"load_sledge", "far", *(f"n{at}" for at in range(150, 200))}


FAILED = read_report('It fails\n\nIt says "no room at the quay" at once,\nwhatever I do.\n', STOP_WORDS)


def test_what_holds_a_message_word_for_word_comes_before_what_is_otherwise_as_good() -> None:
    symbols = [symbol("drift", 2, 9), symbol("sail", 10, 20), symbol("moor", 41, 50)]
    found = weighed({}, [0.0, 0.5, 0.5], symbols, lines={14: 'raise Full("no room at the quay")'}, report=FAILED)
    assert [each.symbol.name for each in found] == ["sail", "moor"]
    assert [each.signals["said"] for each in found] == [1.0, 0.0]
    for line in (9, 21):
        found = weighed({}, [0.0, 0.5, 0.5], symbols, lines={line: '"no room at the quay"'}, report=FAILED)
        assert {each.symbol.name for each in found if each.signals["said"]} == ({"drift"} if line == 9 else set())


def test_the_messages_of_members_are_not_those_of_their_type() -> None:
    boat, sail = symbol("Boat", 2, 30, "class", ""), symbol("sail", 10, 20)
    lines = {3: "sledge", 14: '"no room at the quay"'}
    found = weighed({"sledg": 1.0}, [0.0, 0.5, 0.5], [boat, sail], lines=lines, report=FAILED)
    assert {each.symbol.name: each.signals["said"] for each in found} == {"sail": 1.0, "Boat": 0.0}


def test_of_a_large_file_what_holds_a_message_is_weighed_wherever_it_stands() -> None:
    heads = {at: RowHead(at, at, "text", "") for at in range(1, 200)}
    scores = [0.0] + [1.0 if at >= 150 else 0.5 for at in range(1, 200)]
    many = [symbol(f"n{at}", at, at) for at in range(1, 200)]
    found = weighed({}, scores, many, heads, {7: '"no room at the quay"'}, FAILED)
    assert {each.symbol.name for each in found} == {"n7", *(f"n{at}" for at in range(150, 200))}


def test_what_is_wanted_is_chosen_from_and_the_best_rows_are_those_that_hold_it() -> None:
    heads = {at: RowHead(at, at, "text", "") for at in range(1, 200)}
    scores = [0.0] + [1.0 if at >= 100 else 0.5 for at in range(1, 200)]
    many = [symbol(f"n{at}", at, at, "field" if at < 9 else "method") for at in range(1, 200)]
    found = weighed({}, scores, many, heads, wanted=many[2:4])
    assert [each.symbol.name for each in found] == ["n3", "n4"]
    assert weighed({}, scores, many, heads, wanted=[]) == []


def test_a_wanted_type_ends_where_the_next_definition_begins_though_that_is_not_wanted() -> None:
    boat, sail = symbol("Boat", 2, 30, "class", ""), symbol("sail", 10, 20)
    (found,) = weighed({"sledg": 1.0}, [0.0, 0.5, 0.5], [boat, sail], lines={12: "sledge"}, wanted=[boat])
    assert (found.symbol.name, found.signals["own"]) == ("Boat", 0.0)


def test_the_parts_of_a_definition_are_its_worth() -> None:
    symbols = [symbol("load_sledge", 2, 9), symbol("Boat", 10, 20, "class", "")]
    for each in weighed({"sledg": 1.0}, [0.0, 0.5, 0.5], symbols, lines={3: "sledge", 12: "a sledge = b"}):
        assert abs(sum(each.parts.values()) - each.score) < 1e-5
        assert all(each.parts.values())


def test_a_file_without_rows_of_text_has_no_definitions_to_weigh() -> None:
    assert weighed({}, [0.0], [symbol("sail", 1, 1)], {0: HEADS[0]}) == []


@pytest.mark.slow
def test_a_long_text_finds_several_functions_of_a_file_and_what_is_explained_adds_up(folder: Path) -> None:
    body = "".join(
        f"def {name}(harbour):\n    return harbour.{name}\n\n\n" for name in ("load_sledge", "drop_sledge", "sail")
    )
    write(folder, "harbour.py", body)
    write(folder, "other.py", "def quiet():\n    return 0\n")
    write(
        folder, "numbers.py", "".join(f"def {n}_one():\n    return 1\n" for n in ("first", "second", "third", "fourth"))
    )
    text = "Sledges are lost\n\nFirst `load_sledge` and then\n`drop_sledge` forget\nwhat they were given.\n"
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            found = find(view, parse_query(text), None, 10).results
            numbered = "Numbers\n\n`first_one` and `second_one`,\n`third_one`\nor `fourth_one`\n"
            asked = [
                len(find(view, parse_query(numbered), None, 10, per_file=most).results) for most in (None, 1, 2, 4)
            ]
    assert asked == [3, 1, 2, 4]
    assert {"load_sledge", "drop_sledge"} == {item.symbol for item in found[:2]}
    assert [item.spot.start_line for item in found[:2]] == [1, 5]
    assert all(abs(sum(item.contributions.values()) - item.score) < 1e-4 for item in found)
    of_file = [item for item in found if item.path == "harbour.py"]
    best = max(sum(item.parts.values()) for item in of_file)
    behind = [-3.0 * (best - sum(item.parts.values())) for item in of_file]
    assert behind == pytest.approx([item.contributions.get("place", 0.0) for item in of_file], abs=1e-4)
    assert {item.symbol for item in find_one(folder, "load_sledge")} == {"load_sledge"}


@pytest.mark.slow
def test_a_long_text_means_definitions_of_a_kind_and_by_symbol_too(folder: Path) -> None:
    write(folder, "session.py", SESSION)
    write(folder, "numbers.py", "RESOLVED = 1\n")
    text = "Session.send crashes when redirects are resolved\n\nIt does so\neach time\nthat I try it.\n"
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:

            def found(kinds: tuple[str, ...] = (), mode: str = "auto") -> list[tuple[str, str]]:
                query = parse_query(text, Filters(kinds=kinds))
                return [(item.symbol, item.spot.kind) for item in find(view, query, None, 10, mode=mode).results]

            assert found(("method",)) == [("Session.send", "method"), ("Session.resolve_redirects", "method")]
            assert found(("constant", "variable"))[0][0] in ("LIMIT", "RESOLVED")
            assert found(("class",)) == [("Session", "class")]
            assert found(("macro",)) == []
            assert found(mode="symbol") == [("Session.send", "method"), ("Session", "class")]
            assert found(("class",), "symbol") == [("Session", "class")]


SESSION = '''LIMIT = 9


class Session:
    """A session."""

    def send(self, request):
        return self.adapter.send(request)

    def resolve_redirects(self, response, request):
        """Resolved redirects crash each time."""
        while response.redirect:
            response = self.send(request)
        return response


def helper(session):
    return session.send(None)
'''


def find_one(root: Path, query: str) -> list[SearchHit]:
    """A phrase still shows each file once."""
    with Codebase(str(root)) as codebase, codebase.view() as view:
        return [item for item in find(view, parse_query(query), None, 10).results if item.path == "harbour.py"]
