"""From a query to places in order."""

from cairn.search.allowed import allowed_files
from cairn.search.budget import Fitted, LeftOut, Piece, Shown, Unit, fit
from cairn.search.find import Findings, Found, find
from cairn.search.grep import Match, Matches, grep
from cairn.search.pattern import Pattern, parse_literal, parse_regex
from cairn.search.query import Filters, Query, parse_query
from cairn.search.ranking import RANKING_VERSION, WEIGHTS, weights_without
from cairn.search.related import question_of
from cairn.search.together import Together, ViewFailedError
from cairn.search.units import unit_of

__all__ = [
    "RANKING_VERSION",
    "WEIGHTS",
    "Filters",
    "Findings",
    "Fitted",
    "Found",
    "LeftOut",
    "Match",
    "Matches",
    "Pattern",
    "Piece",
    "Query",
    "Shown",
    "Together",
    "Unit",
    "ViewFailedError",
    "allowed_files",
    "find",
    "fit",
    "grep",
    "parse_literal",
    "parse_query",
    "parse_regex",
    "question_of",
    "unit_of",
    "weights_without",
]
