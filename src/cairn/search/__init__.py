"""From a query to places in order."""

from typing import TYPE_CHECKING

from cairn.base import lazy

if TYPE_CHECKING:
    from cairn.search.budget import Fitted, LeftOut, Piece, ShownUnit, Unit, fit
    from cairn.search.filters import allowed_files
    from cairn.search.find import Findings
    from cairn.search.grep import Match, Matches
    from cairn.search.mergedviews import MergedViews, ViewFailedError
    from cairn.search.pattern import Pattern, parse_literal, parse_regex, parse_words
    from cairn.search.places import SearchHit
    from cairn.search.query import Filters, Query, parse_query
    from cairn.search.ranking import weights_without
    from cairn.search.related import question_of
    from cairn.search.units import unit_of
    from cairn.search.version import RANKING_VERSION
    from cairn.search.weights import WEIGHTS
else:
    __getattr__ = lazy.exports(
        __name__,
        {
            "filters": "allowed_files",
            "budget": "Fitted LeftOut Piece ShownUnit Unit fit",
            "find": "Findings",
            "places": "SearchHit",
            "grep": "Match Matches",
            "pattern": "Pattern parse_literal parse_regex parse_words",
            "query": "Filters Query parse_query",
            "ranking": "weights_without",
            "related": "question_of",
            "mergedviews": "MergedViews ViewFailedError",
            "units": "unit_of",
            "version": "RANKING_VERSION",
            "weights": "WEIGHTS",
        },
    )

__all__ = [
    "RANKING_VERSION",
    "WEIGHTS",
    "Filters",
    "Findings",
    "Fitted",
    "LeftOut",
    "Match",
    "Matches",
    "MergedViews",
    "Pattern",
    "Piece",
    "Query",
    "SearchHit",
    "ShownUnit",
    "Unit",
    "ViewFailedError",
    "allowed_files",
    "fit",
    "parse_literal",
    "parse_query",
    "parse_regex",
    "parse_words",
    "question_of",
    "unit_of",
    "weights_without",
]
