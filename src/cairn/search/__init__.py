"""From a query to places in order."""

from cairn.search.budget import Fitted, LeftOut, Piece, Shown, Unit, fit
from cairn.search.find import Findings, Found, find
from cairn.search.query import Filters, Query, parse_query
from cairn.search.ranking import RANKING_VERSION, WEIGHTS, weights_without
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
    "Piece",
    "Query",
    "Shown",
    "Together",
    "Unit",
    "ViewFailedError",
    "find",
    "fit",
    "parse_query",
    "unit_of",
    "weights_without",
]
